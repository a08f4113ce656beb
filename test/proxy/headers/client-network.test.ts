import { describe, expect, it } from 'vitest'
import { clientNetworkOf } from '#proxy/headers/client-network.ts'

describe('the network of a client', () => {
  it('is the same for all IPv6 addresses of one /64', () => {
    const network = clientNetworkOf('2001:db8:1:2::1')
    expect(clientNetworkOf('2001:db8:1:2:ffff:ffff:ffff:ffff')).toBe(network)
    expect(clientNetworkOf('2001:DB8:1:2:0::9%eth0')).toBe(network)
    expect(clientNetworkOf('2001:db8:1:3::1')).not.toBe(network)
  })

  it('is the address itself for IPv4, also where it is mapped into IPv6', () => {
    expect(clientNetworkOf('192.0.2.7')).toBe('192.0.2.7')
    expect(clientNetworkOf('::ffff:192.0.2.7')).toBe('192.0.2.7')
    expect(clientNetworkOf('::ffff:192.0.2.8')).not.toBe('192.0.2.7')
  })

  it('is the given text if that is not an address', () => {
    expect(clientNetworkOf('unknown')).toBe('unknown')
    expect(clientNetworkOf('no:address')).toBe('no:address')
  })
})
