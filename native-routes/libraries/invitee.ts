import type { Invitee, LibraryShareRow } from '#db/queries/library-shares.ts'
import type { Actor } from '../ports.ts'
import { verifiedEmailOf } from '../verified-email.ts'

/** The identity by which an actor can be invited. */
export const toInvitee = (actor: Actor): Invitee => ({
  accountId: actor.accountId,
  verifiedEmail: verifiedEmailOf(actor),
})

/** Whether a share invites the actor. A share with a response belongs to the account that responded. */
export const isInvitee = (actor: Actor, { targetUserId, email }: LibraryShareRow) => {
  const { accountId, verifiedEmail } = toInvitee(actor)
  return targetUserId === null ? email !== null && email === verifiedEmail : targetUserId === accountId
}
