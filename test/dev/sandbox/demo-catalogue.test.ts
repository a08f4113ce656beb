import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SandboxBilling, startBillingProvider } from '#dev/sandbox/billing/start-billing.ts'
import { seedDemoCatalogue } from '#dev/sandbox/demo-catalogue.ts'
import { type RunningCore, runCore } from './core/running-core.ts'

let core: RunningCore
let folder: string
let provider: SandboxBilling
beforeAll(async () => {
  core = await runCore()
  folder = await mkdtemp(join(tmpdir(), 'crossfade-demo-'))
  const stateFile = join(folder, 'billing.json')
  const secrets = { secretKey: 'secret-key-of-the-tests', webhookSecret: 'webhook-secret-of-the-tests' }
  provider = await startBillingProvider({ ...secrets, prices: [], stateFile })
  const seed = () => seedDemoCatalogue(core.databaseUrl, stateFile)
  await Promise.all([seed(), seed()])
})
afterAll(async () => {
  await core.close()
  await provider.close()
  await rm(folder, { recursive: true, force: true })
})

const readAs = async (accountId: string, path: string) => {
  const authorization = `Bearer ${await core.issuer.mintToken(accountId)}`
  return (await core.send(path, { headers: { authorization } })).body
}

const tables = async () => {
  const names = ['accounts', 'subscriptions', 'tracks', 'packs', 'pack_tracks', 'libraries', 'library_shares']
  const rows = names.map((name) => core.sql`select * from ${core.sql(name)} order by 1, 2`)
  return (await Promise.all(rows)).map((table) => [...table])
}

describe('the demo catalogue', () => {
  it('gives Alice tracks, a pack and a library', async () => {
    const { records: tracks } = await readAs('acct_alice', '/v1/tracks')
    expect(tracks[0]).toMatchObject({ id: 'track_harbour_lights', title: 'Harbour Lights' })
    expect(tracks).toHaveLength(4)
    const { records: packs } = await readAs('acct_alice', '/v1/packs')
    expect(packs).toMatchObject([{ name: 'Harbour EP', trackCount: 3 }])
    const { records: links } = await readAs('acct_alice', `/v1/packs/${packs[0].id}/links`)
    expect(links).toHaveLength(2)
    expect(links).toContainEqual(expect.objectContaining({ slug: 'harbour-ep', requiresAccessCode: false }))
    expect(links).toContainEqual(
      expect.objectContaining({ slug: 'harbour-ep-press', downloadsEnabled: false }),
    )
    const { records: libraries } = await readAs('acct_alice', '/v1/libraries')
    expect(libraries).toMatchObject([{ name: 'Film pitches', trackCount: 2, shareCount: 2 }])
  })

  it('has a link that opens the pack, and one that opens it only with an access code', async () => {
    const statusOf = async (link: string) => (await core.send(`/v1/public/pack-links/${link}`, {})).status
    expect(await statusOf('harbour-ep')).toBe(200)
    expect(await statusOf('harbour-ep-press')).toBe(403)
    expect(await statusOf('harbour-ep-press?accessCode=lighthouse')).toBe(200)
  })

  it('shares the library with Carol and invites Bob', async () => {
    const shared = await readAs('acct_carol', '/v1/libraries/shared-with-me')
    expect(shared.records).toMatchObject([{ name: 'Film pitches', accessType: 'editor' }])
    const invited = await readAs('acct_bob', '/v1/libraries/shared-with-me?inviteStatus=pending')
    expect(invited.records).toMatchObject([{ name: 'Film pitches', accessType: 'viewer' }])
  })

  it('subscribes Alice and Carol to pro, and leaves Bob on the free plan', async () => {
    const rows = await core.sql`select account_id, plan_id, status from subscriptions order by 1`
    expect([...rows]).toEqual([
      { account_id: 'acct_alice', plan_id: 'pro', status: 'active' },
      { account_id: 'acct_carol', plan_id: 'pro', status: 'active' },
    ])
  })

  it("uses the billing provider's subscription ids, customers and periods", async () => {
    const rows = await core.sql`
      select billing_subscription_id as id, billing_customer_id as customer, current_period_end as until
      from subscriptions`
    expect(rows).toHaveLength(2)
    for (const { id, customer, until } of rows) {
      const { periodEnd, ...subscription } = provider.store.subscriptions[id]!
      expect([customer, until]).toEqual([subscription.customer, new Date(periodEnd * 1000)])
    }
  })

  it("keeps the user's changes when it is seeded again", async () => {
    await core.sql`update tracks set title = 'Mine' where id = 'track_slow_tide'`
    await core.sql`delete from tracks where id = 'track_night_ferry'`
    await core.sql`delete from packs`
    await core.sql`update subscriptions set status = 'canceled' where account_id = 'acct_carol'`
    const before = await tables()
    await seedDemoCatalogue(core.databaseUrl)
    expect(await tables()).toEqual(before)
  })
})
