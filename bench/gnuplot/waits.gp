# Latencies on a logarithmic axis. Columns: heading, name, 1 for this store, p50, p99, p99.9, longest, limit, in seconds.
names = 0
stats ARG1 using (names = max(names, strlen(strcol(2))), $0) nooutput
rows = STATS_records
low = 1; high = 1e-9
do for [c = 4:8] {
    stats ARG1 using (valid(c) && column(c) > 0 ? (low = min(low, column(c)), high = max(high, column(c))) : 0) nooutput
}
low = decade(low); high = max(10 * low, 10 * decade(high))
at(x) = max(low, x)
height = 100 + 22 * rows
set terminal @svg size 760,height
set output ARG2
set label ARG3 at screen 0.02,1 offset 0,-1.5 font ',15'
set key at screen 0.02,1 - 42. / height left horizontal Left reverse font small textcolor rgb faint samplen 1
set lmargin at screen (30 + wide(names)) / 760
set rmargin at screen 0.95
set tmargin at screen 1 - 62. / height
set bmargin at screen 34. / height
set logscale x
set xrange [low:high]
set xtics format '%.0s %cs'
set yrange [rows - 0.5:-0.5]
set style textbox opaque noborder fillcolor rgb 'white'
plot ARG1 using (at($4)):0:(at(valid(7) ? $7 : $6) - at($4)):(0):(colour($3)) with vectors nohead lw 2 lc rgb variable notitle, \
    '' using (at($4)):0:(colour($3)):ytic(2) with points pt 7 ps 0.7 lc rgb variable title 'p50', \
    '' using (at($5)):0:(colour($3)) with points pt 6 ps 0.7 lc rgb variable title 'p99', \
    '' using (at($6)):0:(colour($3)) with points pt 1 lw 2 lc rgb variable title 'p99.9', \
    '' using (at($7)):0:(colour($3)) with points pt 2 lw 2 lc rgb variable title 'longest', \
    '' using 8:($0 - 0.5):(0):(1) with vectors nohead dt 2 lc rgb bad title 'limit', \
    '' using (low):0:1 with labels boxed left font ',13' notitle
