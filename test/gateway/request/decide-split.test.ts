import { expect, it } from 'vitest'
import { labels } from '#contracts/shared/row.ts'
import { createTokenFinder } from '#gateway/pipeline/authenticate.ts'
import type { RequestContext } from '#gateway/request/context.ts'
import { createDecisions, type DecisionControl } from '#gateway/request/decide.ts'
import { buildTestView } from '#test/support/routing.ts'

const verified = {
  actor: { accountId: 'acct_1', email: null, emailVerified: false },
  isExpired: () => false,
}

const bearer = () => 'Bearer token'
const createRequest = (header: RequestContext['header'] = bearer) =>
  ({ params: {}, header, verifiedToken: null }) as unknown as RequestContext

const staticStates = [{ scope: 'libraries.list', stage: 'canary', weightBp: 9999 }] as const
const split = buildTestView({ staticStates })
const killed = buildTestView({ staticStates, kills: ['libraries.*'], epoch: 2 })

interface Situation extends Partial<DecisionControl> {
  /** What is known about the request's token; undefined if the token has to be verified. */
  readonly peeked?: typeof verified | 'malformed' | undefined
  readonly verify?: () => Promise<typeof verified>
}

const decideWith = (
  { peeked, verify = async () => verified, ...control }: Situation,
  request = createRequest(),
  label: (typeof labels)[number] = 'libraries.list',
) => {
  const findToken = createTokenFinder({ tokens: { peek: () => peeked, verify } })
  const { decide } = createDecisions(
    { current: () => split, refreshed: () => undefined, mayTryNative: () => true, ...control },
    { hasCore: true, findToken },
  )
  return decide(label, request)
}

it('a decision waits for nothing and reads no header if the state is the same for all requests', () => {
  const readHeader = () => {
    throw new Error('a header was read')
  }
  const steady = buildTestView()
  for (const label of labels)
    expect(decideWith({ current: () => steady }, createRequest(readHeader), label)).toMatchObject({
      epoch: 1,
      reason: 'static',
    })
})

it('a decision does not wait if the token was verified recently, and stores the token in the request', () => {
  const request = createRequest()
  expect(decideWith({ peeked: verified }, request)).toMatchObject({
    kind: 'native',
    reason: 'split',
    mayFallBack: true,
  })
  expect(request.verifiedToken).toBe(verified)
})

it('a decision waits until a new token is verified', async () => {
  const decision = decideWith({})
  expect(decision).toBeInstanceOf(Promise)
  expect(await decision).toMatchObject({ kind: 'native', reason: 'split' })
})

it('a decision uses the state after the token is verified, including a kill made meanwhile', async () => {
  let view = split
  const decision = decideWith({ current: () => view })
  view = killed
  expect(await decision).toMatchObject({ kind: 'forward', reason: 'disabled', epoch: 2 })
})

it('a request to a split route is forwarded if its token is invalid or cannot be verified', async () => {
  const forwarded = { kind: 'forward', reason: 'split' }
  expect(decideWith({ peeked: 'malformed' })).toMatchObject(forwarded)
  expect(await decideWith({ verify: () => Promise.reject(new Error('no keys')) })).toMatchObject(forwarded)
})

it('a request is forwarded while the route is paused, unless the core must not serve it', () => {
  const paused = { peeked: verified, mayTryNative: () => false }
  expect(decideWith(paused)).toMatchObject({ kind: 'forward', reason: 'breaker' })
  const retired = buildTestView({
    staticStates: [{ scope: 'libraries.list', stage: 'retired', weightBp: 10_000 }],
  })
  expect(decideWith({ ...paused, current: () => retired })).toMatchObject({
    kind: 'native',
    mayFallBack: false,
  })
})

it.each([
  ['native', buildTestView(), 'native'],
  ['split', split, 'native'],
  ['core', buildTestView({ kills: ['libraries.list'] }), 'forward'],
])('a decision waits for a newer state only if native may serve the route: %s', async (side, view, kind) => {
  const adoption = Promise.withResolvers<void>()
  let current = view
  const decision = decideWith({
    peeked: verified,
    current: () => current,
    refreshed: () => adoption.promise,
  })
  if (side === 'core') return expect(decision).toMatchObject({ kind, epoch: 1 })
  expect(decision).toBeInstanceOf(Promise)
  current = killed
  adoption.resolve()
  expect(await decision).toMatchObject({ kind: 'forward', reason: 'disabled', epoch: 2 })
})

it('a decision also waits for a newer state after verifying a token', async () => {
  let current = split
  const waits: DecisionControl['refreshed'][] = [
    () => undefined,
    async () => {
      current = killed
    },
  ]
  const decision = decideWith({ current: () => current, refreshed: () => waits.shift()?.() })
  expect(await decision).toMatchObject({ kind: 'forward', reason: 'disabled', epoch: 2 })
})
