import { describe, expect, it } from 'vitest'
import { parseAddress, parseTrustedProxies } from '#proxy/headers/trusted-proxies.ts'

describe('parseTrustedProxies', () => {
  it.each(['fe80::1', 'fe80::1%eth0', 'fe80::1%br-5f0a', 'fe80::1%eth0.100'])(
    'trusts the link-local address %s of a trusted block, whatever its zone is called',
    (address) => {
      expect(parseTrustedProxies(['fe80::/10']).has(address)).toBe(true)
    },
  )

  it('treats an IPv4 address that is mapped into IPv6 as IPv4', () => {
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
  ])('returns null for %j, which other parsers may read differently', (text) => {
    expect(parseAddress(text)).toBeNull()
  })
})
