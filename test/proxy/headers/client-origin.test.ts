import { describe, expect, it } from 'vitest'
import {
  clientNetworkOf,
  parseAddress,
  parseTrustedProxies,
  resolveClientOrigin,
} from '#proxy/headers/client-origin.ts'

describe('a block of trusted proxies', () => {
  it.each([
    ['10.0.0.0/8', '10.255.0.1', true],
    ['10.0.0.0/8', '11.0.0.1', false],
    ['192.0.2.128/25', '192.0.2.200', true],
    ['192.0.2.128/25', '192.0.2.100', false],
    ['192.0.2.1', '192.0.2.1', true],
    ['192.0.2.1', '192.0.2.2', false],
    ['0.0.0.0/0', '198.51.100.1', true],
    ['0.0.0.0/0', '::1', false],
    ['10.0.0.0/8', '::ffff:10.1.2.3', true],
    ['::ffff:10.0.0.0/104', '10.1.2.3', true],
    ['2001:db8::/32', '2001:db8:1::1', true],
    ['2001:db8::/32', '2001:db9::1', false],
    ['2001:db8::/33', '2001:db8:8000::1', false],
    ['::1', '0:0:0:0:0:0:0:1', true],
    ['fe80::/10', 'fe80::1%eth0', true],
    ['::/0', '10.0.0.1', false],
    ['10.0.0.0/8', 'unknown', false],
    ['10.0.0.0/8', '', false],
  ])('%s contains the address %s: %s', (block, address, trusted) => {
    const proxies = parseTrustedProxies([block])
    expect([proxies.has(address), proxies.has(address)]).toEqual([trusted, trusted])
  })

  it.each([
    '',
    '10.0.0.0/33',
    '10.0.0/8',
    '::/129',
    '1::2::3',
    'proxy.example',
    '10.0.0.0/8/8',
    '010.0.0.1',
    '256.0.0.1',
    '::ffff:10.0.0.0/8',
    '10.0.0.0/-1',
    '10.0.0.0/',
  ])('cannot be %j, and the error names it', (block) => {
    expect(() => parseTrustedProxies([block])).toThrow(`"${block}"`)
  })
})

describe("a client's origin", () => {
  const trusted = parseTrustedProxies(['10.0.0.0/8', '127.0.0.1'])
  const proxy = { address: '10.0.0.1', encrypted: false, host: 'api.example' }
  const through = (...headers: string[]) => resolveClientOrigin(headers, proxy, trusted)

  it('is read from the connection if the client is untrusted, whatever headers it sends', () => {
    const headers = [
      'X-Forwarded-For',
      '1.2.3.4',
      'X-Forwarded-Proto',
      'http',
      'X-Forwarded-Host',
      'evil.example',
      'Forwarded',
      'for=1.2.3.4',
    ]
    expect(
      resolveClientOrigin(headers, { address: '203.0.113.7', encrypted: true, host: 'api.example' }, trusted),
    ).toEqual({
      address: '203.0.113.7',
      protocol: 'https',
      host: 'api.example',
      forwardedFor: '203.0.113.7',
      forwarded: null,
      behindTrustedProxy: false,
    })
  })

  it.each([
    ['one address', ['203.0.113.7'], '203.0.113.7'],
    ['a forged address in front', ['1.2.3.4, 203.0.113.7'], '203.0.113.7'],
    ['another trusted proxy after it', ['203.0.113.7, 10.0.0.9'], '203.0.113.7'],
    ['two lines', ['1.2.3.4', '203.0.113.7'], '203.0.113.7'],
    ['a port', ['203.0.113.7:4711'], '203.0.113.7'],
    ['IPv6 with a port', ['[2001:db8::7]:4711'], '2001:db8::7'],
    ['IPv4 mapped into IPv6', ['::ffff:203.0.113.7'], '203.0.113.7'],
    ['IPv4 mapped into IPv6 with a port', ['[::FFFF:203.0.113.7]:4711'], '203.0.113.7'],
    ['IPv4 mapped into IPv6 in groups', ['::ffff:cb00:7107'], '203.0.113.7'],
    ['a trusted proxy mapped into IPv6 after it', ['203.0.113.7, ::ffff:10.0.0.9'], '203.0.113.7'],
    ['garbage', ['garbage'], '10.0.0.1'],
    ['garbage after an address', ['203.0.113.7, garbage'], '10.0.0.1'],
    ['only trusted proxies', ['10.0.0.8'], '10.0.0.8'],
    ['nothing', [], '10.0.0.1'],
  ])('has the nearest untrusted address in X-Forwarded-For: %s', (_, lines, address) => {
    expect(through(...lines.flatMap((line) => ['x-forwarded-for', line])).address).toBe(address)
  })

  it.each([
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::ffff:127.0.0.1', '127.0.0.1'],
    ['2001:db8::7', '2001:db8::7'],
    ['fe80::1%eth0', 'fe80::1%eth0'],
    ['unknown', 'unknown'],
    ['', ''],
  ])('for a connection from %j has the address %j', (address, expected) => {
    const peer = { address, encrypted: false, host: 'api.example' }
    const origin = resolveClientOrigin([], peer, parseTrustedProxies([]))
    expect(origin).toMatchObject({ address: expected, forwardedFor: expected })
  })

  it('lists an IPv4-mapped proxy address as plain IPv4', () => {
    const mapped = { ...proxy, address: '::ffff:10.0.0.1' }
    const headers = ['X-Forwarded-For', '203.0.113.7', 'Forwarded', 'for=203.0.113.7']
    expect(resolveClientOrigin(headers, mapped, trusted)).toMatchObject({
      address: '203.0.113.7',
      forwardedFor: '203.0.113.7, 10.0.0.1',
      forwarded: 'for=203.0.113.7, for=10.0.0.1',
    })
  })

  it("uses a trusted proxy's protocol and host if they are valid", () => {
    expect(through('X-Forwarded-Proto', 'HTTPS', 'X-Forwarded-Host', 'public.example')).toMatchObject({
      protocol: 'https',
      host: 'public.example',
    })
    expect(through('X-Forwarded-Proto', 'gopher', 'X-Forwarded-Host', 'a/b')).toMatchObject({
      protocol: 'http',
      host: 'api.example',
    })
  })
})

describe('parseTrustedProxies', () => {
  it.each(['fe80::1', 'fe80::1%eth0', 'fe80::1%br-5f0a', 'fe80::1%eth0.100'])(
    'trusts the link-local address %s in a trusted block, whatever its zone',
    (address) => {
      expect(parseTrustedProxies(['fe80::/10']).has(address)).toBe(true)
    },
  )

  it('treats an IPv4-mapped IPv6 address as IPv4', () => {
    const trusted = parseTrustedProxies(['10.0.0.0/8'])
    expect(trusted.has('::ffff:10.1.2.3')).toBe(true)
    expect(trusted.has('::ffff:11.1.2.3')).toBe(false)
  })

  it.each(['nonsense', '10.0.0.0/33', '10.0.0.0/8/8', '10.0.0.0/', '0x0a000000'])(
    'throws an error that names the invalid entry %s',
    (entry) => {
      expect(() => parseTrustedProxies([entry])).toThrow(entry)
    },
  )
})

describe('parseAddress', () => {
  it.each([
    '::ffff:0x1.2.3.4',
    '::ffff:010.2.3.4',
    '0x7f.1',
    '127.1',
    '010.0.0.1',
    '1.2.3.4.5',
    ':::',
    '',
    'a.b',
  ])('returns null for %j, which other parsers may accept or interpret differently', (text) => {
    expect(parseAddress(text)).toBeNull()
  })
})

describe("a client's network", () => {
  it('is the same for all IPv6 addresses in a /64 network', () => {
    const network = clientNetworkOf('2001:db8:1:2::1')
    expect(clientNetworkOf('2001:db8:1:2:ffff:ffff:ffff:ffff')).toBe(network)
    expect(clientNetworkOf('2001:DB8:1:2:0::9%eth0')).toBe(network)
    expect(clientNetworkOf('2001:db8:1:3::1')).not.toBe(network)
  })

  it('is the address itself for IPv4, even if it is mapped into IPv6', () => {
    expect(clientNetworkOf('192.0.2.7')).toBe('192.0.2.7')
    expect(clientNetworkOf('::ffff:192.0.2.7')).toBe('192.0.2.7')
    expect(clientNetworkOf('::ffff:192.0.2.8')).not.toBe('192.0.2.7')
  })

  it('is the given text itself if that is not an address', () => {
    expect(clientNetworkOf('unknown')).toBe('unknown')
    expect(clientNetworkOf('no:address')).toBe('no:address')
  })
})
