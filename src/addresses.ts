import { BlockList, isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Lists of addresses and networks in CIDR notation, separated by commas. */
const entriesOf = (list: string) => list.split(',').map((entry) => entry.trim());

/** Address and prefix length of an entry, undefined where it is neither an address nor a network. */
function parseEntry(entry: string) {
  const [address, prefix, ...rest] = entry.split('/');
  const version = isIP(address);
  const bits = version === 6 ? 128 : 32;
  const length = prefix === undefined ? bits : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN;
  if (version === 0 || rest.length > 0 || !(length <= bits)) return undefined;
  return { address, length, family: version === 6 ? ('ipv6' as const) : ('ipv4' as const) };
}

/** The entries of a list that are neither an address nor a network. */
export function findMalformed(list: string): string[] {
  return entriesOf(list).filter((entry) => !parseEntry(entry));
}

/** @param list without malformed entries @returns whether an address is in the list */
export function openAddressList(list: string): (address: string) => boolean {
  const networks = new BlockList();
  for (const entry of entriesOf(list)) {
    const parsed = parseEntry(entry);
    if (parsed) networks.addSubnet(parsed.address, parsed.length, parsed.family);
  }
  return (address) => {
    const plain = unmapped(address);
    const version = isIP(plain);
    return version !== 0 && networks.check(plain, version === 6 ? 'ipv6' : 'ipv4');
  };
}

/** The entries of a list, for Fastify's `trustProxy`. */
export function listAddresses(list: string): string[] {
  return entriesOf(list);
}

/** An IPv4 address that a socket for both families tells as IPv6 (`::ffff:10.0.0.7`), as IPv4. */
function unmapped(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
}

/**
 * The caller behind an address: of IPv6 the network of 64 bits, which is what one customer gets at least, with as many
 * addresses as it likes.
 */
export function callerOfAddress(address: string): string {
  const plain = unmapped(address.split('%')[0]);
  if (isIP(plain) !== 6) return plain;
  const [head, tail] = plain.split('::');
  const groups = (part: string | undefined) => (part ? part.split(':') : []);
  // An IPv4 address at the end stands for two groups; both are among the lower ones.
  const last = groups(tail).flatMap((group) => (group.includes('.') ? ['0', '0'] : [group]));
  const first = groups(head);
  const zeros = tail === undefined ? 0 : 8 - first.length - last.length;
  const all = [...first, ...Array<string>(zeros).fill('0'), ...last];
  const network = all.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(':')}::/64`;
}

/** The first 3 bits of the IPv6 addresses that are given out: `2000::/3`. */
const GLOBAL_IPV6 = { mask: 0xe000, value: 0x2000 };

/**
 * Whether an address is one of the public internet: not of this machine or its network, nor one of the ranges that lead
 * there another way (IPv4 in IPv6, tunnels, translation), nor multicast, nor reserved.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv4 || (parsed.parts[0] & GLOBAL_IPV6.mask) === GLOBAL_IPV6.value;
}
