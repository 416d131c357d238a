echo 1 >/proc/sys/net/ipv4/conf/slow-f902def4/accept_local
echo 0 >/proc/sys/net/ipv4/conf/all/rp_filter
echo 0 >/proc/sys/net/ipv4/conf/slow-f902def4/rp_filter
ip -batch - <<end
link set slow-f902def4 up
rule add iif slow-f902def4 table 715932
route replace 172.30.0.32/32 dev eth0 table 715932
route replace 172.30.0.32/32 dev slow-f902def4 src 172.30.0.16
route replace 172.30.0.33/32 dev eth0 table 715932
route replace 172.30.0.33/32 dev slow-f902def4 src 172.30.0.16
route replace 10.129.0.0/22 via 172.30.0.32 dev eth0 table 715932
route replace 10.129.0.0/22 dev slow-f902def4 src 172.30.0.16
end
