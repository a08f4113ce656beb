import { describe, expect, it } from 'vitest'
import type { Finding } from '#contracts/shared/catalog-findings.ts'
import { tools } from '#native-routes/catalog-analysis/tools/index.ts'
import { useSeededCatalog } from '#test/support/catalog/use-seeded-catalog.ts'

const { alice, database, scope } = useSeededCatalog()

const run = async (name: string, input: object = {}) => {
  const tool = tools.find((known) => known.name === name)!
  const result = await tool.run(scope(), input)
  return { ...result, output: JSON.parse(JSON.stringify(result.output)) }
}

const faultsOf = (kind: Finding['kind']) =>
  alice()
    .faults.filter((fault) => fault.kind === kind)
    .map(({ subjectId }) => subjectId)

const idsIn = (records: readonly { readonly id: string }[]) => records.map(({ id }) => id)

describe('search_tracks', () => {
  it('finds tracks by part of their title or artist, ignoring case', async () => {
    const { output, citations } = await run('search_tracks', { text: 'low tide' })
    expect(output.found).toBe(6)
    expect(output.tracks).toHaveLength(6)
    expect(output.tracks[0]).toMatchObject({ title: expect.stringContaining('Low Tide') })
    expect(idsIn(output.tracks).sort()).toEqual(idsIn(citations).sort())
    expect((await run('search_tracks', { text: 'EGRETS' })).output.found).toBe(1)
  })

  it('finds a track by its ISRC with hyphens and in lower case', async () => {
    const { output } = await run('search_tracks', { text: 'qz-abc-26-01234' })
    expect(output.tracks).toMatchObject([{ isrc: 'QZABC2601234' }])
  })

  it.each(['%', '_', '\\', "'; drop table tracks; --"])('searches for %s literally', async (text) => {
    expect((await run('search_tracks', { text })).output).toEqual({ found: 0, tracks: [] })
  })
})

describe('track_readiness', () => {
  it('reports a track that lacks nothing as ready', async () => {
    const { output, findings } = await run('track_readiness', { trackId: 'alice_track_01999' })
    expect(output.track).toMatchObject({ id: 'alice_track_01999', isReady: true, open: [] })
    expect(findings).toEqual([])
  })

  it.each(['missing_isrc', 'no_audio', 'processing_failed', 'split_sheet_unbalanced'] as const)(
    'reports %s as a blocker',
    async (kind) => {
      const [trackId] = faultsOf(kind)
      const { output } = await run('track_readiness', { trackId })
      expect(output.track).toMatchObject({ isReady: false, open: [{ kind, severity: 'blocker' }] })
    },
  )

  it('reports a track without a release date as not ready', async () => {
    const [trackId] = faultsOf('missing_release_date')
    const { output } = await run('track_readiness', { trackId })
    expect(output.track).toMatchObject({ isReady: false, releaseDate: null })
  })

  it.each(['bob_track_00001', 'unknown'])('returns no track for the id %s', async (trackId) => {
    const result = await run('track_readiness', { trackId })
    expect(result).toEqual({ output: { track: null }, findings: [], citations: [] })
  })
})

describe('missing_identifiers', () => {
  it('counts and lists the tracks that lack an identifier', async () => {
    const { output } = await run('missing_identifiers', { limit: 50 })
    expect(output.totals).toEqual(
      ['isrc', 'iswc', 'release_date', 'artwork', 'lyrics'].map((identifier) => ({ identifier, tracks: 20 })),
    )
    expect(output.tracks).toHaveLength(50)
  })

  it('lists only tracks that lack one of the requested identifiers', async () => {
    const { output, findings } = await run('missing_identifiers', { identifiers: ['artwork'], limit: 50 })
    expect(idsIn(output.tracks).sort()).toEqual(faultsOf('missing_artwork').sort())
    for (const { missing } of output.tracks) expect(missing).toEqual(['artwork'])
    expect(findings).toHaveLength(20)
  })
})

describe('split_sheets', () => {
  it('lists unbalanced sheets with their issues, and incomplete sheets', async () => {
    const { output } = await run('split_sheets', { limit: 50 })
    expect(output).toMatchObject({ unbalancedTotal: 20, incompleteTotal: 20 })
    expect(idsIn(output.unbalanced).sort()).toEqual(faultsOf('split_sheet_unbalanced').sort())
    expect(idsIn(output.incomplete).sort()).toEqual(faultsOf('split_sheet_incomplete').sort())
    const issues = output.unbalanced.flatMap((sheet: { issues: readonly object[] }) => sheet.issues)
    expect(issues).toContainEqual(
      expect.objectContaining({ code: 'master_total_mismatch', expected: 100, actual: 99.9 }),
    )
  })
})

describe('open_shares', () => {
  it('lists links, shares and invitations with their recipients', async () => {
    const { output } = await run('open_shares', { targets: ['library'] })
    expect(output).toMatchObject({
      total: 1,
      shares: [
        { kind: 'library_share', recipient: 'alice-guest@example.test', access: 'viewer', status: 'pending' },
      ],
    })
    const everything = await run('open_shares', { limit: 50 })
    const [links] = await database().sql`
      select count(*)::int as open from (
        select track_id, expires_at, revoked_at from track_share_links
        union all select track_id, expires_at, revoked_at from split_sheet_links
        union all select pack_id, expires_at, revoked_at from pack_links) as links
      where track_id like 'alice%' and revoked_at is null
        and (expires_at is null or expires_at > '2026-06-15T12:00:00Z')`
    expect(everything.output.total).toBe(links!.open + 1)
  })

  it('returns no token, slug or hash', async () => {
    const result = JSON.stringify(await run('open_shares', { limit: 50 }))
    const secrets = await database().sql`
      select slug as secret from pack_links union all select token_hash from track_share_links
      union all select token_preview from track_share_links`
    for (const { secret } of secrets) expect(result).not.toContain(secret)
  })
})

describe('plays_and_trends', () => {
  it('sums the plays of the current and the previous period', async () => {
    const { output } = await run('plays_and_trends', { limit: 50 })
    expect(output.period).toEqual({ previousFrom: '2026-04-20', from: '2026-05-18', to: '2026-06-14' })
    const [sums] = await database().sql`
      select sum(plays) filter (where day between '2026-05-18' and '2026-06-14')::int as plays,
        sum(plays) filter (where day between '2026-04-20' and '2026-05-17')::int as previous
      from engagement_totals where subject_kind = 'track' and subject_id like 'alice%'`
    expect(output.totals).toMatchObject({ plays: sums!.plays, previousPlays: sums!.previous })
    const plays = output.tracks.map((track: { plays: number }) => track.plays)
    expect(plays).toEqual(plays.toSorted((left: number, right: number) => right - left))
  })

  it.each(['rising', 'falling'] as const)('lists the tracks with %s plays', async (trend) => {
    const { output, findings } = await run('plays_and_trends', { trend, limit: 50 })
    expect(idsIn(output.tracks).sort()).toEqual(faultsOf(`plays_${trend}`).sort())
    expect(findings.map(({ kind }) => kind)).toEqual(Array(20).fill(`plays_${trend}`))
  })
})

describe('duplicates', () => {
  it('lists each group of duplicates with the reason', async () => {
    const { output } = await run('duplicates', { limit: 50 })
    expect(output.total).toBe(20)
    const copies = output.groups.map(({ tracks }: { tracks: readonly { id: string }[] }) => tracks[1]!.id)
    expect(copies.sort()).toEqual(faultsOf('possible_duplicate').sort())
    const reasons = output.groups.map(({ reason }: { reason: string }) => reason)
    expect(reasons.filter((reason: string) => reason === 'same_isrc')).toHaveLength(10)
  })
})
