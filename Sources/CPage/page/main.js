// @ts-check
// The start of the page.

import * as app from "./app.js";
import { start } from "./runtime.js";

start(app, document.body);
