# Every bar of the specification as a multiple of what is wanted. Columns: name, multiple, words.
names = 0; words = 0; low = 0.5; high = 2
stats ARG1 using (names = max(names, strlen(strcol(1))), words = max(words, strlen(strcol(3))), \
    multiple = strcol(2) eq '' ? 1 : strcol(2) + 0, low = min(low, multiple / 1.1), high = max(high, multiple * 1.1), $0) nooutput
height = 96 + 22 * STATS_records
set terminal @svg size 1000,height
set output ARG2
set label ARG3 at screen 0.016,1 offset 0,-1.5 font ',15'
set label 'right of 1: the bar holds. Where less is better, wanted by measured. The axis is logarithmic.' \
    at screen 0.016,1 offset 0,-2.8 font small textcolor rgb faint
set lmargin at screen (24 + wide(names)) / 1000
set rmargin at screen 1 - (24 + wide(words)) / 1000
set tmargin at screen 1 - 62. / height
set bmargin at screen 34. / height
set logscale x
set xrange [low:high]
set xtics format '%g×'
do for [n = -6:9] { set xtics add (10. ** n); if (high < 1000 * low) { set xtics add (2 * 10. ** n, 5 * 10. ** n) } }
set link y2
set y2tics scale 0
set yrange [STATS_records - 0.5:-0.5]
set arrow from 1,graph 0 to 1,graph 1 nohead front lw 2 lc rgb ink
plot ARG1 using 2:0:(min(1, $2)):(max(1, $2)):($0 - 0.27):($0 + 0.27):($2 < 1 ? bad : good) \
        with boxxyerror lc rgb variable, \
    '' using (1):0:ytic(1) with points pt -1, \
    '' using (1):0:y2tic(3) axes x1y2 with points pt -1
