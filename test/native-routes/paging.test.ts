import { beforeAll, describe, expect, it } from 'vitest'
import { contracts } from '#contracts/registry.ts'
import type { Label } from '#contracts/route-table.ts'
import type { Contract } from '#contracts/shared/contract.ts'
import { fillPath, labels, rowOf } from '#contracts/shared/row.ts'
import { handlers } from '#native-routes/index.ts'
import { listRecords, positionByCreation } from '#native-routes/paging.ts'
import { createLibrary, insertTrackOf, inviteToLibrary, shareLibrary } from '#test/support/fixtures.ts'
import { startTestGateway, type TestAccount } from '#test/support/gateway.ts'
import { insertPackLink, insertPackOf } from '#test/support/share-fixtures.ts'
import { insertAsset, insertStem, insertVersion } from '#test/support/track-fixtures.ts'

interface Entry {
  readonly id: string
}

type Body = Record<string, Entry[]> & { readonly nextCursor?: string | null }

/** The lists in each route's response. */
const lists: { readonly [L in Label]?: readonly string[] } = {
  'tracks.stems.list': ['stems'],
  'tracks.versions.list': ['versions'],
  'tracks.media-assets.list': ['artwork', 'documents'],
  'tracks.share-links.list': ['records'],
  'tracks.split-sheet.share-links.list': ['records'],
  'libraries.list': ['records'],
  'libraries.shared-with-me': ['records'],
  'libraries.shares.list': ['records'],
  'packs.list': ['records'],
  'packs.links.list': ['records'],
  'packs.invitations.list': ['records'],
}

const nativeLabels = ['packs.list', 'packs.links.list', 'packs.invitations.list', 'tracks.list'] as const

// These are paged even if the request does not ask for pages.
const alwaysPaged: readonly Label[] = [
  'tracks.list',
  'analytics.events.list',
  'catalog-analysis.threads.list',
  'internal.media-dispatches.list',
]

const hasRecords = (label: Label) => {
  const { responses }: Contract = contracts[label]
  const parsed = responses[200]?.safeParse({ records: [], nextCursor: null })
  return parsed?.success === true && JSON.stringify(parsed.data).includes('"records"')
}

const entriesOf = (label: Label, body: Body) => (lists[label] ?? []).flatMap((name) => body[name] ?? [])
const idsOf = (label: Label, body: Body) => entriesOf(label, body).map(({ id }) => id)

describe('a native list', () => {
  const gateway = startTestGateway({ nativeLabels })
  const count = 5

  const createAccount = async () => {
    const { sql } = gateway.database
    const [account, guest] = await Promise.all([gateway.signUp(), gateway.signUp()])
    const trackId = await insertTrackOf(sql, account.accountId)
    const libraryId = (await createLibrary(account, 'First')).id
    const { packId } = await insertPackOf(sql, account.accountId, 0)
    for (let index = 0; index < count; index++) {
      await insertVersion(sql, trackId)
      await insertStem(sql, trackId)
      await insertAsset(sql, trackId, { kind: index % 2 ? 'artwork' : 'document' })
      await account.post(`/v1/tracks/${trackId}/share-links`)
      await insertPackOf(sql, account.accountId, 0)
      await insertPackLink(sql, packId)
      await sql`insert into pack_invitations (id, pack_id, email) values (${crypto.randomUUID()}, ${packId}, ${`${index}@example.test`})`
      await createLibrary(account, `Library ${index}`)
      await shareLibrary(guest, await createLibrary(guest, `Shared ${index}`), account)
      await inviteToLibrary(account, { id: libraryId }, { email: `${index}@example.test` })
    }
    return { account, params: { trackId, libraryId, packId } }
  }
  type Owner = Awaited<ReturnType<typeof createAccount>>

  let owner: Owner
  let stranger: Owner
  beforeAll(async () => {
    owner = await createAccount()
    stranger = await createAccount()
  })

  const get = async (label: Label, from: Owner, query = ''): Promise<Body> => {
    const { status, body } = await (from.account as TestAccount).get(fillPath(label, from.params) + query)
    expect(status).toBe(200)
    return body
  }

  const readPages = async (label: Label, from: Owner, limit: number) => {
    const pages: Body[] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const at = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`
      const page = await get(label, from, `?limit=${limit}${at}`)
      expect(page).toHaveProperty('nextCursor')
      pages.push(page)
      cursor = page.nextCursor
      expect(pages.length).toBeLessThan(20)
    }
    return pages
  }

  const pageable = labels.filter((label) => label in lists)

  it('is tested here for every route that returns a list', () => {
    const found = labels.filter(
      (label) =>
        label in handlers && rowOf(label).method === 'GET' && (label.endsWith('.list') || hasRecords(label)),
    )
    expect(found.sort()).toEqual([...pageable, ...alwaysPaged].sort())
  })

  it.each(pageable)('%s is complete without paging', async (label) => {
    const body = await get(label, owner)
    expect(body).not.toHaveProperty('nextCursor')
    const isEmpty = label === 'tracks.split-sheet.share-links.list'
    expect(entriesOf(label, body).length).toBeGreaterThanOrEqual(isEmpty ? 0 : count)
  })

  it.each(pageable)('%s has the same records when it is read in pages', async (label) => {
    const whole = await get(label, owner)
    for (const limit of [1, 2, count, 100]) {
      const pages = await readPages(label, owner, limit)
      for (const page of pages) expect(entriesOf(label, page).length).toBeLessThanOrEqual(limit)
      const ids = (name: string) => pages.flatMap((page) => (page[name] ?? []).map(({ id }) => id))
      for (const name of lists[label] ?? []) expect(ids(name)).toEqual(whole[name]?.map(({ id }) => id))
    }
  })

  it.each(pageable)('%s ignores invalid paging parameters', async (label) => {
    const whole = idsOf(label, await get(label, owner))
    for (const query of [
      'limit=0',
      'limit=101',
      'limit=-1',
      'limit=ten',
      'limit=',
      'cursor=',
      'cursor=x',
      'cursor=%00',
    ]) {
      const body = await get(label, owner, `?${query}`)
      expect(idsOf(label, body)).toEqual(whole)
      expect(body).not.toHaveProperty('nextCursor')
    }
    const first = await get(label, owner, '?limit=2&cursor=x')
    expect(idsOf(label, first)).toEqual(idsOf(label, await get(label, owner, '?limit=2')))
  })

  it.each(pageable)("%s returns only the caller's records for another account's cursor", async (label) => {
    const own = idsOf(label, await get(label, owner))
    for (const other of pageable) {
      const { nextCursor } = await get(other, stranger, '?limit=2')
      if (!nextCursor) continue
      const body = await get(label, owner, `?cursor=${encodeURIComponent(nextCursor)}`)
      for (const id of idsOf(label, body)) expect(own).toContain(id)
    }
  })

  it('neither skips nor repeats records if others are inserted between two pages', async () => {
    const label = 'tracks.share-links.list'
    const before = idsOf(label, await get(label, owner))
    const first = await get(label, owner, '?limit=2')
    await owner.account.post(fillPath(label, owner.params))
    const rest = await get(label, owner, `?cursor=${encodeURIComponent(first.nextCursor ?? '')}`)
    expect([...idsOf(label, first), ...idsOf(label, rest)]).toEqual(before)
    expect(rest.nextCursor).toBeNull()
  })

  it('is complete and in order even if it takes several statements to read', async () => {
    const { account, params } = owner
    const trackId = await insertTrackOf(gateway.database.sql, account.accountId)
    await gateway.database.sql`
      insert into track_share_links (id, track_id, token_hash, token_preview, created_at)
      select lpad(n::text, 4, '0'), ${trackId}, md5(n::text) || md5(n::text), 'abcd',
        now() - (n / 7) * interval '1 second'
      from generate_series(0, 4500) n`
    const ids = idsOf(
      'tracks.share-links.list',
      await get('tracks.share-links.list', { account, params: { ...params, trackId } }),
    )
    const expected = Array.from({ length: 4501 }, (_, n) => n).sort(
      (a, b) => Math.floor(a / 7) - Math.floor(b / 7) || b - a,
    )
    expect(ids).toEqual(expected.map((n) => String(n).padStart(4, '0')))
  })
})

it('listRecords fails instead of reading forever if a query ignores its range', async () => {
  const records = Array.from({ length: 2000 }, (_, n) => ({
    id: String(n),
    createdAt: '2026-01-01T00:00:00.000Z',
  }))
  await expect(listRecords({}, async () => records, positionByCreation)).rejects.toThrow(
    'two batches in a row end with the same record',
  )
})
