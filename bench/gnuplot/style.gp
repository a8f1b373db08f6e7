# The style of all plots: on white, so that they are read on dark pages too. Loaded before each of the other scripts,
# which get the table, the file of the plot and its title as ARG1, ARG2 and ARG3.
set encoding utf8
set micro
set datafile separator tab
ink = 0x1f2328; faint = 0x59636e; own = 0x0969da; other = 0x8c959f; good = 0x1a7f37; bad = 0xcf222e
svg = "svg noenhanced font 'sans-serif,12' background 'white'"
small = ",11"
colour(isOwn) = isOwn > 0 ? own : other
max(a, b) = a > b ? a : b
min(a, b) = a < b ? a : b
decade(x) = 10 ** floor(log10(x) + 1e-9)
# 1, 2 or 5 times a power of ten, x at least.
step(x) = decade(x) * (x <= decade(x) ? 1 : x <= 2 * decade(x) ? 2 : x <= 5 * decade(x) ? 5 : 10)
# A number with k or M for its thousands or millions.
si(x) = x >= 1e6 ? sprintf('%g M', x / 1e6) : x >= 1e3 ? sprintf('%g k', x / 1e3) : sprintf('%g', x)
# The width of texts in pixels.
wide(characters) = 7.4 * characters
set style fill solid noborder
set border 0
set tics scale 0
set grid xtics lc rgb '#d1d9e0' lt 1 lw 1
set xtics font small textcolor rgb faint
set ytics textcolor rgb ink
unset key
