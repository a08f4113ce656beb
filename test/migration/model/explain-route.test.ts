import { describe, expect, it } from 'vitest'
import { bucketOf } from '#migration/model/bucket.ts'
import { type ExplainedRoute, explainRoute } from '#migration/model/explain-route.ts'
import type { RouteScope } from '#migration/model/route-scope.ts'
import { initialStateOf, type RouteState } from '#migration/model/route-state.ts'
import { defaultStateOf } from '#migration/model/stored-state.ts'

const label = 'libraries.list'
const accountId = 'acct_1'
const salt = 'salt'
const bucket = bucketOf(salt, 'libraries', accountId)

const explain = (states: readonly RouteState[], changes: Partial<ExplainedRoute> = {}) =>
  explainRoute({
    label,
    states: new Map<RouteScope, RouteState>(states.map((state) => [state.scope, state])),
    isKnown: true,
    configuredKills: [],
    hasCore: true,
    hasHandler: () => true,
    findEvidenceKey: () => 'running',
    unreadable: [],
    staticStates: [],
    findMissingSettings: () => undefined,
    findStop: () => null,
    overrides: [],
    failedCode: [],
    account: accountId,
    link: null,
    installationSalt: salt,
    now: new Date('2026-01-01T00:00:00Z'),
    ...changes,
  })

const canary = (weightBp: number): RouteState => ({
  ...initialStateOf(label),
  stage: 'canary',
  weightBp,
  version: 3,
})
const override = {
  accountId,
  scope: label,
  side: 'core',
  until: new Date('2026-01-02T00:00:00.000Z'),
} as const

describe('an explanation', () => {
  it("compares the account's bucket with the percentage", () => {
    expect(explain([canary(bucket + 1)])).toEqual({
      side: 'native',
      bucket,
      sentences: [
        `libraries.list: canary at ${(bucket + 1) / 100} % (version 3).`,
        `acct_1 is in bucket ${bucket}. Native serves buckets below ${bucket + 1}, so native serves it.`,
      ],
    })
    expect(explain([canary(bucket)])).toMatchObject({ side: 'core', bucket })
    expect(explain([canary(bucket)], { account: null })).toMatchObject({ side: 'split', bucket: null })
  })

  it("lets a kill take precedence over an account's override, and the override over the bucket", () => {
    const killed = { ...defaultStateOf('libraries.*'), killed: true }
    const given = { overrides: [override] }
    expect(explain([canary(9999)], given).side).toBe('core')
    const native = { overrides: [{ ...override, side: 'native' as const }] }
    expect(explain([canary(1)], native).side).toBe('native')
    expect(explain([canary(1), killed], native).sentences[0]).toBe(
      'libraries.* is killed, so the core serves it. Resume libraries.* to undo this.',
    )
    expect(explain([canary(1)], { ...native, configuredKills: ['*'] }).sentences[0]).toBe(
      'GATEWAY_KILL contains * on this instance, so the core serves it.',
    )
  })

  it('prefers the override with the narrowest scope, and ignores expired ones', () => {
    const wide = { ...override, scope: '*', side: 'native' } as const
    expect(explain([canary(1)], { overrides: [wide, override] }).side).toBe('core')
    expect(
      explain([canary(1)], { overrides: [wide, override], now: new Date('2026-02-01') }).sentences[1],
    ).toContain('acct_1 is ')
  })

  it("says what the instance's settings change", () => {
    const staticStates = [
      { scope: 'libraries.*', stage: 'shadow', weightBp: 0 },
      { scope: '*', stage: 'native', weightBp: 10_000 },
    ] as const
    expect(explain([canary(9999)], { staticStates })).toEqual({
      side: 'core',
      bucket: null,
      sentences: [
        'libraries.list: canary at 99.99 % (version 3).',
        'GATEWAY_ROUTES sets libraries.* to shadow on this instance, so the stored state does not apply.',
        'The core serves every account.',
      ],
    })
    const unset = { hasHandler: () => false, findMissingSettings: () => 'EMAIL_API_KEY is unset' }
    expect(explain([canary(9999)], unset).sentences[1]).toBe(
      'EMAIL_API_KEY is unset, so this instance cannot serve it natively. The core serves it.',
    )
    const killedHere = { label: 'webhooks.billing', configuredKills: ['webhooks.*'] } as const
    expect(explain([], killedHere)).toEqual({
      side: 'unavailable',
      bucket: null,
      sentences: ['GATEWAY_KILL contains webhooks.* on this instance, so requests get 503.'],
    })
  })

  it('says that this instance is not trying native, unless the core would serve the account anyway', () => {
    const paused = { findStop: () => 'paused' as const }
    expect(explain([canary(bucket + 1)], paused)).toMatchObject({
      side: 'core',
      sentences: ['Native is paused on this instance, so the core serves the route for now.', {}, {}],
    })
    expect(explain([canary(bucket)], paused).sentences).toHaveLength(2)
    expect(explain([canary(1)], { ...paused, account: null }).side).toBe('core')
    expect(explain([{ ...initialStateOf(label), stage: 'retired' }], paused).side).toBe('native')
    expect(explain([canary(1)], { findStop: () => 'stopped', account: null }).sentences[0]).toBe(
      'Native was stopped on this instance because it did worse than the core. The core serves the route until its state changes.',
    )
  })

  it('lets the share link decide the side for link routes, and the account for all others', () => {
    const linkRoute = { label: 'public.track-links.detail', link: 'slug_1' } as const
    const linkBucket = bucketOf(salt, 'public', 'slug_1')
    const states = [{ ...canary(linkBucket + 1), scope: linkRoute.label }]
    const given = { ...linkRoute, overrides: [{ ...override, scope: '*' as const }] }
    expect(explain(states, given)).toMatchObject({ side: 'native', bucket: linkBucket })
    expect(explain(states, given).sentences).toContain(
      'The share link, not the account, decides which side serves this route. Use --link with its slug or token.',
    )
    expect(explain(states, { ...given, link: null, account: null })).toMatchObject({ side: 'split' })
    expect(explain([canary(1)], { account: null, link: 'slug_1' })).toMatchObject({
      side: 'split',
      sentences: expect.arrayContaining([
        'The account, not a share link, decides which side serves this route. Use --account.',
      ]),
    })
  })

  it('counts the overrides if the state is the same for all accounts', () => {
    const native = initialStateOf(label)
    expect(explain([native], { overrides: [override], account: null }).sentences).toEqual([
      'libraries.list: native (as in the route table).',
      'Native serves every account.',
      'Overrides that apply: 1.',
    ])
    expect(explain([native], { overrides: [override], account: 'acct_2' }).sentences).toHaveLength(2)
  })

  it('says that a stored state cannot be read', () => {
    expect(explain([], { unreadable: ['libraries.*', 'tracks.*'] }).sentences[1]).toBe(
      'The stored state of libraries.* cannot be read. Instances keep the last state they could read. Those that have never read one treat libraries.* as killed.',
    )
  })

  it('says why native does not serve, and what is held or was stopped', () => {
    expect(explain([], { hasHandler: () => false }).sentences[1]).toBe(
      'This build has no handler for it. The core serves it.',
    )
    expect(explain([canary(1)], { hasCore: false }).side).toBe('native')
    expect(explain([{ ...initialStateOf(label), killed: true }], { hasCore: false }).side).toBe('unavailable')
    expect(explain([{ ...canary(1), held: true, failedEvidenceKey: 'k1' }]).sentences).toEqual([
      'libraries.list is held: automation neither promotes nor rolls it back.',
      expect.stringContaining('canary at 0.01 %'),
      expect.stringContaining('is in bucket'),
      'A different version of the code (k1) was stopped automatically in the past.',
    ])
    expect(explain([{ ...canary(1), failedEvidenceKey: 'running' }]).sentences[0]).toBe(
      'The code running here (running) was stopped automatically. Automation will not promote it again.',
    )
    expect(explain([], { label: 'webhooks.billing' }).sentences).toEqual([
      'It is native-only, so the core never serves it.',
    ])
  })
})
