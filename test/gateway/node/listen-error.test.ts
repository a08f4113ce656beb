import { describe, expect, it } from 'vitest'
import { describeUnknownHost, listenOrThrow } from '#gateway/node/listen-error.ts'

const settings = { host: 'ADMIN_HOST', port: 'ADMIN_PORT' }

const failWith = (code: string) => ({
  listen: () => Promise.reject(Object.assign(new Error(code), { code })),
})
const listen = (host: string, code: string) =>
  listenOrThrow(failWith(code) as unknown as Parameters<typeof listenOrThrow>[0], {
    host,
    port: 8788,
    settings,
  })

describe('the error for a host that this machine cannot listen on', () => {
  it('lists the addresses that the name resolves to, and the ones that would work', () => {
    expect(
      describeUnknownHost('admin.internal', 'ADMIN_HOST', {
        resolved: ['10.0.0.7', '10.0.0.8', 'fd00::8'],
        own: ['10.0.0.8', 'fd00::8'],
      }),
    ).toBe(
      'ADMIN_HOST admin.internal resolves to 10.0.0.7, 10.0.0.8, fd00::8, and the first is not an address of this machine: set ADMIN_HOST to 10.0.0.8 or fd00::8',
    )
    expect(describeUnknownHost('admin.internal', 'ADMIN_HOST', { resolved: ['10.0.0.7'], own: [] })).toBe(
      'ADMIN_HOST admin.internal resolves to 10.0.0.7, and this machine has none of these addresses: set ADMIN_HOST to a local address',
    )
  })

  it('suggests the resolved addresses that belong to this machine', async () => {
    await expect(listen('localhost', 'EADDRNOTAVAIL')).rejects.toThrow(
      /^ADMIN_HOST localhost resolves to .*127\.0\.0\.1.*: set ADMIN_HOST to .*127\.0\.0\.1/,
    )
  })

  it.each(['ENOTFOUND', 'EAI_AGAIN'])('says that a name cannot be resolved (%s)', async (code) => {
    await expect(listen('unknown.invalid', code)).rejects.toThrow(
      'ADMIN_HOST unknown.invalid cannot be resolved: set ADMIN_HOST to an address of this machine, such as 127.0.0.1',
    )
  })
})
