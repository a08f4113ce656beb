import { randomUUID } from 'node:crypto'
import type { Caller, CoreResponse, RunningCore } from './running-core.ts'

/** Creates a library and returns its id. */
export const makeLibrary = async (owner: Caller, name = 'Pitches'): Promise<string> =>
  (await owner.post('/v1/libraries', { name })).body.id

/** Invites an account to a library, accepts the invitation, and returns the path of the share. */
export const shareWith = async (owner: Caller, invitee: Caller, libraryId: string, accessType: string) => {
  const shares = `/v1/libraries/${libraryId}/shares`
  const { body } = await owner.post(shares, { targetUserId: invitee.accountId, accessType })
  await invitee.patch(`${shares}/${body.id}`, { inviteStatus: 'accepted' })
  return `${shares}/${body.id}`
}

export const freshEmail = () => `${randomUUID()}@example.test`

export const subscribe = (
  core: RunningCore,
  { accountId }: Caller,
  planId: string,
  status = 'active',
) => core.sql`
  insert into subscriptions (account_id, plan_id, status) values (${accountId}, ${planId}, ${status})`

/** Creates an account on a plan, with a library. */
export const ownLibrary = async (core: RunningCore, planId = 'pro') => {
  const owner = await core.signIn(freshEmail())
  await subscribe(core, owner, planId)
  const libraryId = await makeLibrary(owner)
  return { owner, libraryId, shares: `/v1/libraries/${libraryId}/shares` }
}

export const outcome = ({ status, body }: CoreResponse) => [status, body.error]
