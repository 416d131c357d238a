echo 1 >/proc/sys/net/ipv4/ip_forward
ip -batch - <<end
link set lo up
addr replace 172.30.0.16/24 dev eth0
link set eth0 up
route replace default via 172.30.0.1
route replace 10.128.4.0/22 via 172.30.0.17
route replace 10.129.0.0/22 via 172.30.0.32
end
nft -f - <<end
table ip playground
delete table ip playground
table ip playground {
  chain leave {
    type nat hook postrouting priority srcnat; policy accept;
    ip saddr 10.128.0.0/22 ip daddr != { 10.128.0.0/16, 10.129.0.0/22 } snat to 172.30.0.16
  }
  chain keep {
    type filter hook postrouting priority filter; policy accept;
    oifname "eth0" ip daddr != { 172.30.0.0/24, 10.128.0.0/16, 10.129.0.0/22 } drop
  }
  chain late {
    type filter hook prerouting priority raw; policy accept;
    iifname "slow-*" notrack
  }
}
end
