import { describe, expect, it } from 'vitest'
import { bucketOf } from '#migration/routing/bucket.ts'
import { type ExplainedRoute, explainRoute } from '#migration/routing/explain-route.ts'
import type { RouteScope } from '#migration/routing/route-scope.ts'
import { initialStateOf, type RouteState } from '#migration/routing/route-state.ts'
import { defaultStateOf } from '#migration/routing/stored-state.ts'

const label = 'libraries.list'
const accountId = 'acct_1'
const salt = 'salt'
const bucket = bucketOf(`${salt}\nlibraries`, accountId)

const explain = (states: readonly RouteState[], changes: Partial<ExplainedRoute> = {}) =>
  explainRoute({
    label,
    states: new Map<RouteScope, RouteState>(states.map((state) => [state.scope, state])),
    configuredKills: [],
    hasCore: true,
    hasHandler: true,
    overrides: [],
    subject: accountId,
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
const override = { accountId, scope: label, side: 'core', until: '2026-01-02T00:00:00.000Z' } as const

describe('an explanation', () => {
  it('compares the bucket of the account with the share', () => {
    expect(explain([canary(bucket + 1)])).toEqual({
      side: 'native',
      bucket,
      sentences: [
        `libraries.list is in state canary at ${(bucket + 1) / 100} % (version 3).`,
        `The bucket of acct_1 is ${bucket}; native serves the buckets below ${bucket + 1}, so native serves it.`,
      ],
    })
    expect(explain([canary(bucket)])).toMatchObject({ side: 'core', bucket })
    expect(explain([canary(bucket)], { subject: null })).toMatchObject({ side: 'split', bucket: null })
  })

  it('lets a kill override an account, and an account its bucket', () => {
    const killed = { ...defaultStateOf('libraries.*'), killed: true }
    const given = { overrides: [override] }
    expect(explain([canary(9999)], given).side).toBe('core')
    const native = { overrides: [{ ...override, side: 'native' as const }] }
    expect(explain([canary(1)], native).side).toBe('native')
    expect(explain([canary(1), killed], native).sentences[1]).toBe(
      'libraries.* is killed: the core serves it. Resume libraries.* to undo this.',
    )
    expect(explain([canary(1)], { ...native, configuredKills: ['*'] }).sentences[1]).toBe(
      'GATEWAY_KILL contains * on this instance: the core serves it.',
    )
  })

  it('prefers the override of the narrowest scope, and ignores expired ones', () => {
    const wide = { ...override, scope: '*', side: 'native' } as const
    expect(explain([canary(1)], { overrides: [wide, override] }).side).toBe('core')
    expect(
      explain([canary(1)], { overrides: [wide, override], now: new Date('2026-02-01') }).sentences[1],
    ).toContain('acct_1 is ')
  })

  it('reports what keeps native from serving, and what is held or was stopped', () => {
    expect(explain([], { hasHandler: false }).sentences[1]).toBe(
      'This build has no handler for it: the core serves it.',
    )
    expect(explain([canary(1)], { hasCore: false }).side).toBe('native')
    expect(explain([{ ...initialStateOf(label), killed: true }], { hasCore: false }).side).toBe('none')
    expect(explain([{ ...canary(1), held: true, failedEvidenceKey: 'k1' }]).sentences.slice(2)).toEqual([
      'libraries.list is held: automation neither promotes nor rolls it back.',
      'Code k1 was stopped automatically: it is not promoted again automatically.',
    ])
    expect(explain([], { label: 'webhooks.billing' }).sentences).toEqual([
      'It is native-only: the core never serves it.',
    ])
  })
})
