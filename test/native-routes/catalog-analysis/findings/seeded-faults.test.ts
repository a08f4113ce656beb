import { describe, expect, it } from 'vitest'
import { findingKinds, maxFindings } from '#contracts/shared/catalog-findings.ts'
import {
  analyseCatalog,
  findFindings,
  readCatalog,
} from '#native-routes/catalog-analysis/findings/analyse-catalog.ts'
import { catalogNow } from '#test/support/catalog/add-track.ts'
import { useSeededCatalog } from '#test/support/catalog/use-seeded-catalog.ts'

const { alice, database, scope } = useSeededCatalog()

const keyOf = ({ kind, subjectId }: { readonly kind: string; readonly subjectId: string }) =>
  `${kind} ${subjectId}`

const findKeys = async () =>
  findFindings(await readCatalog(scope()), catalogNow)
    .map(({ kind, subject }) => keyOf({ kind, subjectId: subject.id }))
    .sort()

describe('the findings for a catalogue of 2,000 tracks with 300 faults', () => {
  it('are exactly these faults', async () => {
    const catalog = await readCatalog(scope())
    expect(catalog.tracks).toHaveLength(2000)
    expect(alice().faults).toHaveLength(300)
    expect(Map.groupBy(alice().faults, ({ kind }) => kind).size).toBe(findingKinds.length)
    for (const kind of findingKinds)
      expect(alice().faults.filter((fault) => fault.kind === kind)).toHaveLength(20)
    expect(await findKeys()).toEqual(alice().faults.map(keyOf).sort())
  })

  it('are counted by kind, 20 of each', async () => {
    const { totals, tracks } = await analyseCatalog(scope())
    expect(tracks).toBe(2000)
    expect(totals).toEqual(Object.fromEntries(findingKinds.map((kind) => [kind, 20])))
  })

  it('are reported with blockers first, in the same order each time', async () => {
    const { findings, examples, citations } = await analyseCatalog(scope())
    expect(findings).toHaveLength(maxFindings)
    const ranks = findings.map(({ severity }) => ['blocker', 'warning', 'info'].indexOf(severity))
    expect(ranks).toEqual(ranks.toSorted())
    expect(ranks[0]).toBe(0)
    expect((await analyseCatalog(scope())).findings).toEqual(findings)
    expect(new Set(examples.map(({ kind }) => kind))).toEqual(new Set(findingKinds))
    const cited = new Set(citations.map(({ type, id }) => `${type} ${id}`))
    const named = [...findings, ...examples].map(({ subject: { type, id } }) => `${type} ${id}`)
    expect(named.filter((subject) => !cited.has(subject))).toEqual([])
  })

  it('name nothing from another account with an identical catalogue', async () => {
    expect(JSON.stringify(await analyseCatalog(scope()))).not.toContain('bob')
  })
})

it('analyseCatalog finds nothing for an account without tracks', async () => {
  const { findings, totals, citations } = await analyseCatalog({ ...scope(), accountId: 'nothing' })
  expect(findings).toEqual([])
  expect(citations).toEqual([])
  expect(Object.values(totals).every((total) => total === 0)).toBe(true)
})

describe('a catalogue whose faults change', () => {
  it('has one fewer finding once a fault is repaired, and one more once another track has a fault', async () => {
    const { sql } = database()
    const before = await findKeys()
    const repaired = alice().faults.find(({ kind }) => kind === 'missing_iswc')?.subjectId ?? ''
    await sql`update tracks set iswc = 'T9999999999', iswc_compact = 'T9999999999' where id = ${repaired}`
    expect(await findKeys()).toEqual(before.filter((key) => key !== `missing_iswc ${repaired}`))
    const faulty = new Set(alice().faults.map(({ subjectId }) => subjectId))
    const sound = (await readCatalog(scope())).tracks.find(({ id, iswc }) => iswc !== null && !faulty.has(id))
    await sql`update tracks set iswc = null, iswc_compact = null where id = ${sound?.id ?? ''}`
    expect(await findKeys()).toEqual(
      [...before.filter((key) => key !== `missing_iswc ${repaired}`), `missing_iswc ${sound?.id}`].sort(),
    )
  })
})
