#include "CPage.h"

// SwiftPM compiles C as it was before C23.
#pragma clang diagnostic ignored "-Wc23-extensions"

// Each file of `page` is here twice: as its bytes, and with its name in the table.

static const unsigned char address_js[] = {
#embed "page/address.js"
};
static const unsigned char app_js[] = {
#embed "page/app.js"
};
static const unsigned char chain_js[] = {
#embed "page/chain.js"
};
static const unsigned char clients_js[] = {
#embed "page/clients.js"
};
static const unsigned char describe_js[] = {
#embed "page/describe.js"
};
static const unsigned char diff_js[] = {
#embed "page/diff.js"
};
static const unsigned char dom_js[] = {
#embed "page/dom.js"
};
static const unsigned char effects_js[] = {
#embed "page/effects.js"
};
static const unsigned char figures_js[] = {
#embed "page/figures.js"
};
static const unsigned char find_js[] = {
#embed "page/find.js"
};
static const unsigned char icon_svg[] = {
#embed "page/icon.svg"
};
static const unsigned char index_html[] = {
#embed "page/index.html"
};
static const unsigned char json_js[] = {
#embed "page/json.js"
};
static const unsigned char keys_js[] = {
#embed "page/keys.js"
};
static const unsigned char list_js[] = {
#embed "page/list.js"
};
static const unsigned char live_js[] = {
#embed "page/live.js"
};
static const unsigned char log_js[] = {
#embed "page/log.js"
};
static const unsigned char main_js[] = {
#embed "page/main.js"
};
static const unsigned char menu_js[] = {
#embed "page/menu.js"
};
static const unsigned char model_js[] = {
#embed "page/model.js"
};
static const unsigned char names_js[] = {
#embed "page/names.js"
};
static const unsigned char parts_js[] = {
#embed "page/parts.js"
};
static const unsigned char past_js[] = {
#embed "page/past.js"
};
static const unsigned char plot_js[] = {
#embed "page/plot.js"
};
static const unsigned char row_js[] = {
#embed "page/row.js"
};
static const unsigned char rowview_js[] = {
#embed "page/rowview.js"
};
static const unsigned char runtime_js[] = {
#embed "page/runtime.js"
};
static const unsigned char streams_js[] = {
#embed "page/streams.js"
};
static const unsigned char style_css[] = {
#embed "page/style.css"
};
static const unsigned char text_js[] = {
#embed "page/text.js"
};
static const unsigned char words_js[] = {
#embed "page/words.js"
};

#define FILE_OF(name, bytes) {name, bytes, sizeof bytes}

static const struct cpg_file files[] = {
    FILE_OF("address.js", address_js),
    FILE_OF("app.js", app_js),
    FILE_OF("chain.js", chain_js),
    FILE_OF("clients.js", clients_js),
    FILE_OF("describe.js", describe_js),
    FILE_OF("diff.js", diff_js),
    FILE_OF("dom.js", dom_js),
    FILE_OF("effects.js", effects_js),
    FILE_OF("figures.js", figures_js),
    FILE_OF("find.js", find_js),
    FILE_OF("icon.svg", icon_svg),
    FILE_OF("index.html", index_html),
    FILE_OF("json.js", json_js),
    FILE_OF("keys.js", keys_js),
    FILE_OF("list.js", list_js),
    FILE_OF("live.js", live_js),
    FILE_OF("log.js", log_js),
    FILE_OF("main.js", main_js),
    FILE_OF("menu.js", menu_js),
    FILE_OF("model.js", model_js),
    FILE_OF("names.js", names_js),
    FILE_OF("parts.js", parts_js),
    FILE_OF("past.js", past_js),
    FILE_OF("plot.js", plot_js),
    FILE_OF("row.js", row_js),
    FILE_OF("rowview.js", rowview_js),
    FILE_OF("runtime.js", runtime_js),
    FILE_OF("streams.js", streams_js),
    FILE_OF("style.css", style_css),
    FILE_OF("text.js", text_js),
    FILE_OF("words.js", words_js),
};

const size_t cpg_count = sizeof files / sizeof files[0];

struct cpg_file cpg_file_at(size_t number) { return files[number]; }
