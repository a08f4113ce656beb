import type { Invitee, LibraryShareRow } from '#db/queries/library-shares.ts'
import type { Actor } from '../ports.ts'

/** The identity by which an actor can be invited. An unverified address is ignored: it may belong to another person. */
export const toInvitee = ({ accountId, email, emailVerified }: Actor): Invitee => ({
  accountId,
  verifiedEmail: emailVerified ? email : null,
})

/** Whether a share invites the actor. A share with a response belongs to the account that responded. */
export const isInvitee = (actor: Actor, { targetUserId, email }: LibraryShareRow) => {
  const { accountId, verifiedEmail } = toInvitee(actor)
  return targetUserId === null ? email !== null && email === verifiedEmail : targetUserId === accountId
}
