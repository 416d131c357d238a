mount --bind '/var/lib/liqo/play grounds/0' /var/lib/liqo/node
mount -t tmpfs -o mode=755 tmpfs /run/containerd
mount -t tmpfs -o mode=755 tmpfs /var/lib/kubelet
[ ! -e /etc/resolv.conf ] || mount --bind /var/lib/liqo/node/resolv.conf /etc/resolv.conf
mount --make-rshared /
echo venice >/proc/sys/kernel/hostname
exec tini -- sleep infinity
