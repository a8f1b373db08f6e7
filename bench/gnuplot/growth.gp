# Figures at sizes, a panel for each. Columns: figure, events, multiple of the first point, the figure itself.
stats ARG1 using 2 nooutput
panels = STATS_blocks
low = decade(STATS_min); high = max(10 * low, decade(STATS_max * 9.99))
lines = (panels + 1) / 2
height = 58 + 190 * lines
set terminal @svg size 760,height
set output ARG2
set multiplot
set label 1 ARG3 at screen 0.02,1 offset 0,-1.5 font ',15'
set label 2 'across: events stored, logarithmic; up: as a multiple of the first point; the words: the figure itself' \
    at screen 0.02,1 offset 0,-2.8 font small textcolor rgb faint
set grid noxtics ytics lc rgb '#d1d9e0' lt 1 lw 1
set logscale x
set xrange [0.75 * low:1.3 * high]
set yrange [0:1 < *]
set xtics format '%.0s %c'
set ytics format '%g×' font small textcolor rgb faint
do for [i = 0:panels - 1] {
    left = 380 * (i % 2)
    top = 58 + 190 * (i / 2)
    stats ARG1 index i using (heading = strcol(1), $3) nooutput
    set ytics step(max(1, STATS_max) / 4.)
    set label 3 heading at screen (left + 16) / 760.,1 - (top + 16.) / height font ',13'
    set lmargin at screen (left + 70) / 760.
    set rmargin at screen (left + 330) / 760.
    set tmargin at screen 1 - (top + 50.) / height
    set bmargin at screen 1 - (top + 150.) / height
    plot ARG1 index i using 2:3 with linespoints pt 7 ps 0.7 lw 2 lc rgb own, \
        '' index i using 2:3:4 with labels offset 0,0.8 font small
    unset label 1
    unset label 2
}
unset multiplot
