import { expect, it } from 'vitest'
import { labels } from '#contracts/shared/row.ts'
import { createAccountFinder } from '#gateway/pipeline/authenticate.ts'
import type { RequestContext } from '#gateway/request/context.ts'
import { type DecisionOptions, decide } from '#gateway/request/decide.ts'
import { findRoute } from '#gateway/request/find-route.ts'
import type { RoutingView } from '#migration/routing/routing-view.ts'
import { buildTestView } from '#test/support/routing.ts'

const verified = {
  actor: { accountId: 'acct_1', email: null, emailVerified: false },
  isExpired: () => false,
}

const createRequest = (path: string, header: RequestContext['header']) =>
  ({
    method: 'GET',
    path,
    match: findRoute('GET', path),
    header,
    verifiedToken: null,
    idempotentRequest: null,
    limitStatuses: null,
  }) as unknown as RequestContext

const createOptions = (peeked: typeof verified | 'malformed' | undefined): DecisionOptions => ({
  hasCore: true,
  waitUntilFresh: () => null,
  isBreakerOpen: () => false,
  findAccountId: createAccountFinder({
    tokens: { peek: () => peeked, verify: async () => verified },
  }),
})

const routingOf = (view: RoutingView) => ({ current: () => view })
const bearer = () => 'Bearer token'
const staticStates = [{ scope: 'libraries.list', stage: 'canary', weightBp: 9999 }] as const
const split = buildTestView({ staticStates })

it('reads no header and waits for nothing where the state is the same for all requests', () => {
  const readHeader = () => {
    throw new Error('a header was read')
  }
  const steady = buildTestView()
  for (const label of labels) {
    const request = createRequest('/v1/libraries', readHeader)
    const match = { kind: 'row', label, params: {} } as const
    expect(decide({ ...request, match }, routingOf(steady), createOptions(undefined))).toMatchObject({
      epoch: 1,
      reason: 'static',
    })
  }
})

it('waits for nothing if the token was verified recently, and keeps the token', () => {
  const request = createRequest('/v1/libraries', bearer)
  expect(decide(request, routingOf(split), createOptions(verified))).toMatchObject({
    kind: 'native',
    reason: 'split',
    mayFallBack: true,
  })
  expect(request.verifiedToken).toBe(verified)
})

it('waits for the verification of a new token', async () => {
  const request = createRequest('/v1/libraries', bearer)
  const decision = decide(request, routingOf(split), createOptions(undefined))
  expect(decision).toBeInstanceOf(Promise)
  expect(await decision).toMatchObject({ kind: 'native', reason: 'split' })
})

it('uses the state of when the token has been verified, in which the route may be killed', async () => {
  let view = split
  const routing = { current: () => view }
  const decision = decide(createRequest('/v1/libraries', bearer), routing, createOptions(undefined))
  view = buildTestView({ staticStates, kills: ['libraries.*'], epoch: 2 })
  expect(await decision).toMatchObject({ kind: 'forward', reason: 'disabled', epoch: 2 })
})

it('forwards if the token is invalid or cannot be verified', async () => {
  const request = createRequest('/v1/libraries', bearer)
  expect(decide(request, routingOf(split), createOptions('malformed'))).toMatchObject({
    kind: 'forward',
    reason: 'split',
  })
  const tokens = { peek: () => undefined, verify: () => Promise.reject(new Error('no keys')) }
  const options = { ...createOptions('malformed'), findAccountId: createAccountFinder({ tokens }) }
  expect(await decide(request, routingOf(split), options)).toMatchObject({ kind: 'forward', reason: 'split' })
})

it('forwards while the breaker is open, except where the core must not serve the route', () => {
  const options = { ...createOptions(verified), isBreakerOpen: () => true }
  const request = createRequest('/v1/libraries', bearer)
  expect(decide(request, routingOf(split), options)).toMatchObject({ kind: 'forward', reason: 'breaker' })
  const retired = buildTestView({
    staticStates: [{ scope: 'libraries.list', stage: 'retired', weightBp: 10_000 }],
  })
  expect(decide(request, routingOf(retired), options)).toMatchObject({ kind: 'native', mayFallBack: false })
})

it.each([
  ['native', buildTestView(), 'native'],
  ['split', split, 'native'],
  ['core', buildTestView({ kills: ['libraries.list'] }), 'forward'],
])('waits for a newer state before native may serve, of a route that is %s', async (side, view, kind) => {
  const killed = buildTestView({ epoch: 2, kills: ['libraries.list'] })
  const adoption = Promise.withResolvers<void>()
  let current = view
  const options = { ...createOptions(verified), waitUntilFresh: () => adoption.promise }
  const decision = decide(createRequest('/v1/libraries', bearer), { current: () => current }, options)
  if (side === 'core') return expect(decision).toMatchObject({ kind, epoch: 1 })
  expect(decision).toBeInstanceOf(Promise)
  current = killed
  adoption.resolve()
  expect(await decision).toMatchObject({ kind: 'forward', reason: 'disabled', epoch: 2 })
})

it('waits for a newer state after a token is verified as well', async () => {
  let current = split
  const waits: (() => Promise<void> | null)[] = [
    () => null,
    async () => {
      current = buildTestView({ epoch: 2, kills: ['libraries.list'] })
    },
  ]
  const options = { ...createOptions(undefined), waitUntilFresh: () => waits.shift()?.() ?? null }
  const decision = decide(createRequest('/v1/libraries', bearer), { current: () => current }, options)
  expect(await decision).toMatchObject({ kind: 'forward', reason: 'disabled', epoch: 2 })
})
