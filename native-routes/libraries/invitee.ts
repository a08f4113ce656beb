import type { Invitee, LibraryShareRow } from '#db/queries/library-shares.ts'
import type { Actor } from '../ports.ts'

/** As whom the actor can have been invited: an address the issuer has not verified may be somebody else's. */
export const toInvitee = ({ accountId, email, emailVerified }: Actor): Invitee => ({
  accountId,
  verifiedEmail: emailVerified ? email : null,
})

/** Whether a share invites the actor. One that was answered belongs to the account that did. */
export const isInvitee = (actor: Actor, { targetUserId, email }: LibraryShareRow) => {
  const { accountId, verifiedEmail } = toInvitee(actor)
  return targetUserId === null ? email !== null && email === verifiedEmail : targetUserId === accountId
}
