# Ten workers of a server each take 25 MB within half a minute.
for (1 .. 10) {
    next if fork;
    my @held;
    for my $n (1 .. 25) { push @held, chr(97 + $n) x 1000000; select undef, undef, undef, 0.8 }
    sleep 10000;
}
sleep 10000;
