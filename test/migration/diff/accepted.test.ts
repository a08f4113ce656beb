import { describe, expect, it } from 'vitest'
import { labels } from '#contracts/shared/row.ts'
import { acceptedDifferences } from '#migration/accepted-differences.ts'
import { type AcceptedDifference, isInEffect } from '#migration/diff/accepted.ts'
import { answer, compare, linesOf } from '../answers.ts'

const refused = (error: string) => answer(400, { error, issues: [{ path: 'name', message: 'is wrong' }] })
const [ours, theirs] = [refused('validation_error'), refused('validation_failed')]

const named = (name: string): AcceptedDifference => ({
  label: 'libraries.create',
  path: 'body.name',
  kind: 'value',
  match: { native: name },
  reason: 'agreed',
  owner: 'somebody',
  expires: '2026-12-31',
})

const library = (name: string) =>
  answer(201, { id: 'l1', name, description: null, createdAt: moment, updatedAt: moment })
const moment = '2026-11-20T10:00:00.000Z'

describe('an accepted difference', () => {
  it('is a regression again on the day after it expires', () => {
    const on = (today: string) => compare('libraries.create', ours, theirs, { today })
    expect(on('2027-02-15')).toMatchObject({ class: 'accepted' })
    expect(on('2027-02-16')).toMatchObject({ class: 'not_comparable' })
  })

  it('is accepted for 90 days ahead and no longer', () => {
    const entry = { ...named('x'), expires: '2027-03-01' }
    expect(isInEffect(entry, '2026-12-01')).toBe(true)
    expect(isInEffect(entry, '2026-11-30')).toBe(false)
    expect(isInEffect(entry, '2027-03-02')).toBe(false)
    expect(isInEffect({ ...entry, expires: 'never' }, '2026-12-01')).toBe(false)
  })

  it.each([
    ['at its route', {}, 'accepted'],
    ['at every route', { label: '*' }, 'accepted'],
    ['at another route', { label: 'packs.create' }, 'regression'],
    ['at another path', { path: 'body.description' }, 'regression'],
    ['of another kind', { kind: 'type' }, 'regression'],
    ['of any values', { match: undefined }, 'accepted'],
    ['of another value', { match: { native: 'other' } }, 'regression'],
    ['of another value of the core', { match: { core: 'other' } }, 'regression'],
  ] as const)('counts %s', (_, change, expected) => {
    const { match, ...entry } = { ...named('new'), ...change }
    const accepted = [match === undefined ? entry : { ...entry, match }]
    expect(compare('libraries.create', library('new'), library('old'), { accepted })).toMatchObject({
      class: expected,
    })
  })

  it('says why', () => {
    const accepted = [named('new')]
    const { differences } = compare('libraries.create', library('new'), library('old'), { accepted })
    expect(differences).toMatchObject([{ reason: 'agreed' }])
    expect(differences[0]).not.toHaveProperty('forbidsPromotion')
  })

  it('has to match at every place', () => {
    const listed = (...names: string[]) =>
      answer(200, {
        records: names.map((name, index) => ({
          id: `l${index}`,
          name,
          description: null,
          createdAt: moment,
          updatedAt: moment,
          trackCount: 0,
          shareCount: 0,
        })),
      })
    const entry = { ...named('new'), label: 'libraries.list', path: 'body.records.*.name' } as const
    const by = { accepted: [entry] }
    expect(compare('libraries.list', listed('new', 'new'), listed('a', 'b'), by).class).toBe('accepted')
    expect(compare('libraries.list', listed('new', 'c'), listed('a', 'b'), by).class).toBe('regression')
  })

  it('never accepts what must not leave the service', () => {
    const leaking = answer(404, { error: 'library_not_found', ownerId: 'acct_owner' })
    const entry: AcceptedDifference = { ...named('x'), label: '*', path: 'body.ownerId', kind: 'extra' }
    const { match: _, ...any } = entry
    const verdict = compare('libraries.detail', leaking, answer(404, { error: 'library_not_found' }), {
      accepted: [any],
    })
    expect(linesOf(verdict)).toEqual(['extra body.ownerId critical native'])
  })

  it('forbids to promote a list that native leaves empty', () => {
    const link = {
      id: 'k1',
      trackId: 't1',
      name: null,
      status: 'active',
      tokenPreview: 'AAAA',
      createdAt: moment,
      updatedAt: moment,
    }
    const [empty, filled] = [answer(200, { records: [] }), answer(200, { records: [link] })]
    expect(compare('tracks.split-sheet.share-links.list', empty, filled).differences).toMatchObject([
      { kind: 'length', class: 'accepted', forbidsPromotion: true },
    ])
  })
})

describe('the accepted differences of this repository', () => {
  it('are of routes there are, with a reason and an owner', () => {
    for (const { label, reason, owner, expires } of acceptedDifferences) {
      expect([...labels, '*']).toContain(label)
      expect(reason.length).toBeGreaterThan(20)
      expect(owner).not.toBe('')
      expect(new Date(expires).toISOString()).toBe(`${expires}T00:00:00.000Z`)
    }
  })
})
