import { describe, expect, it } from 'vitest'
import type { Label } from '#contracts/route-table.ts'
import { createDatabasePort } from '#db/client/drizzle.ts'
import { openRequestPorts } from '#gateway/pipeline/request-ports.ts'
import type { Ports } from '#native-routes/ports.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'

describe('the check before a change', () => {
  const gateway = startTestGateway({ control: 'fixed' })

  const portsFor = async (label: Label, remove: () => Promise<void> = async () => undefined) => {
    const { sql, db } = gateway.database
    const actor = { accountId: `acct_${crypto.randomUUID()}`, email: null, emailVerified: false }
    const trackId = await insertTrackOf(sql, actor.accountId)
    const token = { isExpired: false }
    // The tests use no other ports.
    const ports = {
      db: createDatabasePort({ db, reader: db }),
      storage: { remove, find: async () => null } as Partial<Ports['storage']> as Ports['storage'],
    } as Pick<Ports, 'db' | 'storage'> as Ports
    const visit = { client: () => '', accessCode: () => undefined }
    return {
      token,
      trackId,
      ports: openRequestPorts(ports, label).forHandler(
        {
          token: { actor, isExpired: () => token.isExpired },
          request: { actor, params: { trackId }, visit },
        },
        null,
      ),
    }
  }
  const one = async () => 1

  it('prevents any effect if the token has expired', async () => {
    const calls: string[] = []
    const { ports, token } = await portsFor('billing.checkout', async () => void calls.push('called'))
    token.isExpired = true
    await expect(ports.storage.remove('x')).rejects.toMatchObject({ code: 'unauthorized' })
    await expect(ports.db.tx(one)).rejects.toMatchObject({ code: 'unauthorized' })
    expect(calls).toEqual([])
  })

  it('allows more changes after the first one even if the token has since expired', async () => {
    const { ports, token } = await portsFor('billing.change-plan')
    await ports.storage.remove('x')
    token.isExpired = true
    expect(await ports.db.tx(one)).toBe(1)
    await ports.storage.remove('y')
  })

  it('applies to the first transaction even after a read through a port', async () => {
    const { ports, token } = await portsFor('tracks.uploads.finalize')
    expect(await ports.storage.find('x')).toBeNull()
    token.isExpired = true
    expect(await ports.storage.find('x')).toBeNull()
    await expect(ports.db.tx(one)).rejects.toMatchObject({ code: 'unauthorized' })
  })

  it('prevents any effect on a deleted track, even before the first transaction', async () => {
    const calls: string[] = []
    const call = async () => void calls.push('called')
    const { ports, trackId } = await portsFor('tracks.versions.upload', call)
    await gateway.database.sql`delete from tracks where id = ${trackId}`
    await expect(ports.storage.remove('x')).rejects.toMatchObject({ code: 'track_not_found' })
    expect(calls).toEqual([])
    const others = await portsFor('tracks.versions.upload', call)
    await others.ports.storage.remove('x')
    expect(calls).toEqual(['called'])
  })

  it.each(['analytics.events.list', 'tracks.download-url.issue'] as const)(
    'permits no transaction on %s, which declares no write',
    async (label) => {
      const { ports } = await portsFor(label)
      await expect(ports.db.tx(one)).rejects.toMatchObject({ name: 'UndeclaredEffect' })
    },
  )
})
