# The medians of a row: a panel for each shape, a bar for each contender.
# Columns: panel, unit, bar from the top, name, 1 for this store, median, least, most, limit, words.
stats ARG1 using 3 nooutput
panels = STATS_blocks
array Heading[panels]
array Unit[panels]
array Bars[panels]
array Most[panels]
names = 0; words = 0; height = 58
do for [i = 1:panels] {
    stats ARG1 index i - 1 using (heading = strcol(1), unit = strcol(2), names = max(names, strlen(strcol(4))), \
        words = max(words, strlen(strcol(10))), $3) nooutput
    Heading[i] = heading; Unit[i] = unit; Bars[i] = STATS_max + 1
    most = 0
    do for [c = 6:9] { stats ARG1 index i - 1 using (valid(c) ? (most = max(most, column(c))) : 0) nooutput }
    Most[i] = most > 0 ? most : 1
    height = height + 24 * Bars[i] + 66
}
set terminal @svg size 760,height
set output ARG2
set multiplot
set label 1 ARG3 at screen 0.02,1 offset 0,-1.5 font ',15'
set label 2 'median; whiskers: least and most of the rounds; dashed: limit' at screen 0.02,1 offset 0,-2.8 \
    font small textcolor rgb faint
set lmargin at screen (24 + wide(names)) / 760
set rmargin at screen 1 - (24 + wide(words)) / 760
set link y2
set y2tics scale 0
top = 52
do for [i = 1:panels] {
    set label 3 Heading[i] at screen 0.02,1 - (top + 20) / height font ',13'
    set label 4 Unit[i] at screen 0.98,1 - (top + 20) / height right font small textcolor rgb faint
    set tmargin at screen 1 - (top + 32) / height
    set bmargin at screen 1 - (top + 32 + 24 * Bars[i]) / height
    every = step(Most[i] / 5.)
    ticks = ceil(Most[i] / every - 1e-9)
    set xtics (0)
    do for [n = 1:ticks] { set xtics add (si(n * every) n * every) }
    set xrange [0:ticks * every]
    set yrange [Bars[i] - 0.5:-0.5]
    plot ARG1 index i - 1 using 6:3:(0):6:($3 - 0.33):($3 + 0.33):(colour($5)):ytic(4) with boxxyerror lc rgb variable, \
        '' index i - 1 using 6:3:7:8 with xerrorbars pt -1 lc rgb ink, \
        '' index i - 1 using 9:($3 - 0.45):(0):(0.9) with vectors nohead dt (3, 2) lw 2 lc rgb bad, \
        '' index i - 1 using 6:3:y2tic(10) axes x1y2 with points pt -1
    top = top + 24 * Bars[i] + 66
    unset label 1
    unset label 2
}
unset multiplot
