import { expect, it } from 'vitest'
import { type RequestContext, RequestOutcome } from '#gateway/request/context.ts'
import { countVote } from '#migration/control/count-vote.ts'
import { maxVoters, type Vote } from '#migration/model/stop/rejections.ts'

interface Client {
  readonly accountId?: string
  readonly authorization?: string
  readonly address?: string
}

const voteOf = (differing: Partial<RequestOutcome>, status = 200, client: Client = {}): Vote | null => {
  const { accountId, authorization, address = '192.0.2.1' } = client
  const context = {
    outcome: { ...new RequestOutcome(), label: 'tracks.create', epoch: 3, ...differing },
    verifiedToken: accountId === undefined ? null : { actor: { accountId } },
    header: () => authorization,
    clientAddress: () => address,
  } as unknown as RequestContext
  let vote: Vote | null = null
  countVote(
    {
      countVote(label, counted) {
        expect(label).toBe(context.outcome.label)
        vote = counted
      },
    },
    { context, status, durationMs: 5 },
  )
  return vote
}

const native = { runtime: 'native', nativeResult: 'served', nativeMs: 4 } as const

it('countVote counts the status that each side returned to a client', () => {
  expect(voteOf(native, 404)).toMatchObject({ side: 'native', status: 404, epoch: 3 })
  expect(voteOf({ runtime: 'proxy' }, 201)).toMatchObject({ side: 'core', status: 201, epoch: 3 })
})

it.each([
  ['native has failed', { ...native, nativeResult: 'failed' }],
  ['the database could not be reached', { ...native, nativeMs: null }],
  ['the token is not valid', { ...native, unauthorizedReason: 'token_expired' }],
  ['the core served the request instead of native', { runtime: 'proxy', fallbackReason: 'bug' }],
  ['no route has matched', { ...native, label: 'unmatched' }],
] as const)('countVote counts nothing if %s', (_, outcome) => {
  expect(voteOf(outcome, 401)).toBeNull()
})

it('countVote identifies a client by its account, or else by its token, or else by its address', () => {
  const voterOf = (client: Client) => voteOf(native, 200, client)?.voter
  const account = { accountId: 'acct_1', authorization: 'Bearer a.b.one' }
  expect(voterOf(account)).toBe(
    voterOf({ ...account, authorization: 'Bearer a.b.two', address: '192.0.2.2' }),
  )
  const voters = [
    account,
    { accountId: 'acct_2' },
    { authorization: 'Bearer a.b.one' },
    { authorization: 'Bearer a.b.two' },
    {},
    { address: '192.0.2.2' },
  ].map(voterOf)
  expect(new Set(voters).size).toBe(voters.length)
  for (const voter of voters) expect(voter).toBeLessThan(maxVoters)
})

it('countVote counts a client of a share link once, whatever tokens and addresses it makes up', () => {
  const voterOf = (client: Client) =>
    voteOf({ ...native, label: 'public.track-links.detail' }, 404, client)?.voter
  const made = ['Bearer a.b.one', 'Bearer a.b.two', undefined].map((authorization) =>
    voterOf(authorization === undefined ? {} : { authorization }),
  )
  expect(new Set(made).size).toBe(1)
  expect(voterOf({ address: '2001:db8::1' })).toBe(voterOf({ address: '2001:db8::2' }))
  expect(voterOf({ address: '192.0.2.2' })).not.toBe(made[0])
  expect(voterOf({ accountId: 'acct_1' })).not.toBe(voterOf({ accountId: 'acct_2' }))
})
