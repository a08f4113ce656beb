import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { invalidPaths, makeTrack, type RunningCore, runCore, timestamp } from './running-core.ts'

let core: RunningCore
beforeAll(async () => {
  core = await runCore()
})
afterAll(() => core.close())

const whole = [{ collaboratorId: 'ana', percentage: 100 }]

const createSheet = async () => {
  const alice = await core.signIn()
  const trackId = await makeTrack(alice)
  const sheet = `/v1/tracks/${trackId}/split-sheet`
  await alice.put(sheet, { master: whole, writers: whole })
  return { alice, trackId, sheet, links: `${sheet}/share-links` }
}

const open = (token: string) => core.send(`/v1/public/split-sheets/${token}`, {})

describe('tracks.split-sheet.share-links', () => {
  it('lists a link without its token, and shows whether it is revoked', async () => {
    const { alice, trackId, links } = await createSheet()
    const { status, body } = await alice.post(links, { name: 'Label' })
    expect(status).toBe(201)
    const { token, sharePath, ...link } = body
    expect(sharePath).toBe(`/share/split-sheets/${token}`)
    expect(link).toEqual({
      id: expect.any(String),
      trackId,
      name: 'Label',
      status: 'active',
      tokenPreview: token.slice(-4),
      createdAt: expect.stringMatching(timestamp),
      updatedAt: expect.stringMatching(timestamp),
    })
    const expiring = await alice.post(links, { expiresAt: '2999-01-01T00:00:00Z' })
    expect(expiring.body.expiresAt).toBe('2999-01-01T00:00:00.000Z')
    expect((await alice.delete(`${links}/${link.id}`)).status).toBe(204)
    expect((await alice.delete(`${links}/${link.id}`)).status).toBe(204)
    const { body: listed } = await alice.get(links)
    expect(listed.records.map((record: { status: string }) => record.status)).toEqual(['active', 'revoked'])
    expect(JSON.stringify(listed)).not.toContain(token)
  })

  it('returns split_sheet_not_found if the track has no sheet, before validating the body', async () => {
    const alice = await core.signIn()
    const links = `/v1/tracks/${await makeTrack(alice)}/split-sheet/share-links`
    const { status, body } = await alice.post(links, { name: '' })
    expect([status, body]).toEqual([404, { error: 'split_sheet_not_found' }])
  })

  it('returns 400 for an empty name and an expiry in the past', async () => {
    const { alice, links } = await createSheet()
    expect(invalidPaths(await alice.post(links, { name: '', expiresAt: '2020-01-01T00:00:00Z' }))).toEqual([
      'name',
      'expiresAt',
    ])
  })

  it('returns 404 for a link of another track', async () => {
    const [one, other] = [await createSheet(), await createSheet()]
    const { body: link } = await other.alice.post(other.links)
    const { status, body } = await one.alice.delete(`${one.links}/${link.id}`)
    expect([status, body]).toEqual([404, { error: 'share_link_not_found' }])
  })
})

describe('public.split-sheets.detail', () => {
  it('returns the current sheet', async () => {
    const { alice, trackId, sheet, links } = await createSheet()
    const { body: made } = await alice.post(links, { name: 'Label', expiresAt: '2999-01-01T00:00:00Z' })
    await alice.put(sheet, { address: 'Quay', intendedUse: 'film', master: whole, writers: whole })
    const { status, body } = await open(made.token)
    expect(status).toBe(200)
    expect(body).toEqual({
      link: {
        name: 'Label',
        status: 'active',
        tokenPreview: made.tokenPreview,
        trackId,
        createdAt: made.createdAt,
        updatedAt: made.updatedAt,
        expiresAt: made.expiresAt,
      },
      splitSheet: (await alice.get(sheet)).body,
    })
  })

  it('omits expiresAt for a link without an expiry', async () => {
    const { alice, links } = await createSheet()
    const { body } = await open((await alice.post(links)).body.token)
    expect(body.link).not.toHaveProperty('expiresAt')
  })

  it('returns the same 404 for revoked, expired and unknown links', async () => {
    const { alice, links } = await createSheet()
    const [one, other] = [(await alice.post(links)).body, (await alice.post(links)).body]
    await alice.delete(`${links}/${one.id}`)
    await core.sql`update split_sheet_links set expires_at = now() where id = ${other.id}`
    for (const token of [one.token, other.token, 'x', '%00']) {
      const { status, body } = await open(token)
      expect([status, body]).toEqual([404, { error: 'split_sheet_link_not_found' }])
    }
  })
})
