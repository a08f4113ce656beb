import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { labels } from '#contracts/shared/row.ts'
import { type AcceptedDifference, isInEffect, warnOfExpiry } from '#migration/diff/accepted.ts'
import { acceptedDifferences } from '#migration/parity/accepted-differences.ts'
import { compare, formatDifferences, recordedResponse } from '../responses.ts'

const root = join(import.meta.dirname, '../../..')

const invalidInput = (error: string) =>
  recordedResponse(400, { error, issues: [{ path: 'name', message: 'is wrong' }] })
const [ours, theirs] = [invalidInput('validation_error'), invalidInput('validation_failed')]

const named = (name: string): AcceptedDifference => ({
  label: 'libraries.create',
  path: 'body.name',
  kind: 'value',
  match: { native: name },
  reason: 'agreed',
  owner: 'gateway',
  expires: '2026-12-31',
})

const library = (name: string) =>
  recordedResponse(201, { id: 'l1', name, description: null, createdAt: moment, updatedAt: moment })
const moment = '2026-11-20T10:00:00.000Z'

describe('compareResponses with accepted differences', () => {
  it('no longer applies an entry on the day after it expires', () => {
    const on = (today: string) => compare('libraries.create', ours, theirs, { today })
    expect(on('2027-02-15')).toMatchObject({ class: 'accepted' })
    expect(on('2027-02-16')).toMatchObject({ class: 'not_comparable' })
  })

  it('ignores an entry that expires more than 90 days in the future', () => {
    const entry = { ...named('x'), expires: '2027-03-01' }
    expect(isInEffect(entry, '2026-12-01')).toBe(true)
    expect(isInEffect(entry, '2026-11-30')).toBe(false)
    expect(isInEffect(entry, '2027-03-02')).toBe(false)
    expect(isInEffect({ ...entry, expires: 'never' }, '2026-12-01')).toBe(false)
  })

  it.each([
    ['an entry for the route', {}, 'accepted'],
    ['an entry for all routes', { label: '*' }, 'accepted'],
    ['an entry for a different route', { label: 'packs.create' }, 'regression'],
    ['an entry for a different path', { path: 'body.description' }, 'regression'],
    ['an entry for a different kind', { kind: 'type' }, 'regression'],
    ['an entry for any values', { match: undefined }, 'accepted'],
    ['an entry for a different native value', { match: { native: 'other' } }, 'regression'],
    ['an entry for a different core value', { match: { core: 'other' } }, 'regression'],
  ] as const)('given %s, classifies the difference as $2', (_, change, expected) => {
    const { match, ...entry } = { ...named('new'), ...change }
    const accepted = [match === undefined ? entry : { ...entry, match }]
    expect(compare('libraries.create', library('new'), library('old'), { accepted })).toMatchObject({
      class: expected,
    })
  })

  it('applies an entry for certain scenarios only to those scenarios, and never to live traffic', () => {
    const invalidType = recordedResponse(400, { error: 'validation_failed', issues: [] })
    const intent = recordedResponse(201, {
      uploadId: 'u1',
      trackId: 't1',
      assetId: 'a1',
      signedUrl: 'http://127.0.0.1/u1',
      method: 'PUT',
      expiresAt: moment,
      requiredHeaders: {},
      finalizeUrl: 'http://127.0.0.1/f1',
    })
    const classOf = (scenario?: string) =>
      compare('tracks.versions.upload', intent, invalidType, scenario === undefined ? {} : { scenario }).class
    expect(classOf('accepts video/webm')).toBe('accepted')
    expect(classOf('accepts audio/midi')).not.toBe('accepted')
    expect(classOf()).not.toBe('accepted')
  })

  it('reports the reason for accepting the difference', () => {
    const accepted = [named('new')]
    const { differences } = compare('libraries.create', library('new'), library('old'), { accepted })
    expect(differences).toMatchObject([{ reason: 'agreed' }])
    expect(differences[0]).not.toHaveProperty('forbidsPromotion')
  })

  it('applies an entry only if the difference matches at every location', () => {
    const listed = (...names: string[]) =>
      recordedResponse(200, {
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

  it('never accepts a leak', () => {
    const leaking = recordedResponse(404, { error: 'library_not_found', ownerId: 'acct_owner' })
    const entry: AcceptedDifference = { ...named('x'), label: '*', path: 'body.?', kind: 'extra' }
    const { match: _, ...any } = entry
    const verdict = compare(
      'libraries.detail',
      leaking,
      recordedResponse(404, { error: 'library_not_found' }),
      {
        accepted: [any],
      },
    )
    expect(formatDifferences(verdict)).toEqual(['extra body.? critical native'])
  })

  it('blocks promotion if the entry forbids it', () => {
    const link = {
      id: 'k1',
      trackId: 't1',
      name: null,
      status: 'active',
      tokenPreview: 'AAAA',
      createdAt: moment,
      updatedAt: moment,
    }
    const [empty, filled] = [
      recordedResponse(200, { records: [] }),
      recordedResponse(200, { records: [link] }),
    ]
    expect(compare('tracks.split-sheet.share-links.list', empty, filled).differences).toMatchObject([
      { kind: 'length', class: 'accepted', expires: '2027-02-15', forbidsPromotion: true },
    ])
  })
})

describe('warnOfExpiry', () => {
  const entry = { ...named('x'), expires: '2026-12-31' }
  const subject = 'the accepted difference for libraries.create (value at body.name)'

  it.each([
    ['2026-12-16', []],
    ['2026-12-17', [`${subject} expires on 2026-12-31, in 14 days; owner: gateway. agreed`]],
    ['2026-12-30', [`${subject} expires on 2026-12-31, in 1 day; owner: gateway. agreed`]],
    ['2026-12-31', [`${subject} expires on 2026-12-31, today; owner: gateway. agreed`]],
    ['2027-01-01', [`${subject} expired on 2026-12-31 and no longer applies; owner: gateway. agreed`]],
  ])('warns of an entry from 14 days before it expires (today is %s)', (today, warnings) => {
    expect(warnOfExpiry([entry], today)).toEqual(warnings)
  })

  it('says that an entry is for all routes', () => {
    expect(warnOfExpiry([{ ...entry, label: '*' }], '2026-12-31')[0]).toContain('for all routes (value')
  })
})

describe('npm run check', () => {
  it('warns of accepted differences that expire soon, and does not fail because of them', async () => {
    expect(await readFile(join(root, 'dev/tools/check.ts'), 'utf8')).toContain('tools/warn-of-expiry.ts')
    const { stderr } = await promisify(execFile)(process.execPath, ['dev/tools/warn-of-expiry.ts'], {
      cwd: root,
    })
    const expected = warnOfExpiry(acceptedDifferences, new Date().toISOString().slice(0, 10))
    expect(stderr).toBe(expected.map((warning) => `warning: ${warning}\n`).join(''))
  })
})

describe('acceptedDifferences', () => {
  it('each name an existing route or all routes, a reason, an owner and an expiry date', () => {
    for (const { label, reason, owner, expires } of acceptedDifferences) {
      expect([...labels, '*']).toContain(label)
      expect(reason.length).toBeGreaterThan(20)
      expect(owner).not.toBe('')
      expect(new Date(expires).toISOString()).toBe(`${expires}T00:00:00.000Z`)
    }
  })
})
