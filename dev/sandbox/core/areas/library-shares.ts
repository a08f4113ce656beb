import { v7 as uuidv7 } from 'uuid'
import * as z from 'zod'
import { type Actor, requireActor } from '../authenticate.ts'
import { CoreError, invalid } from '../core-error.ts'
import type { RegisterRoutes } from '../create-app.ts'
import { type Queryable, requireRow, rethrowViolation } from '../database.ts'
import { lockEntitlement, requireEntitlement } from '../entitlements.ts'
import { email, pathId, readBody, singleLineText } from '../input.ts'
import { findLibrary, lockLibrary, requireLibrary } from './libraries.ts'

interface ShareRow {
  readonly id: string
  readonly targetUserId: string | null
  readonly email: string | null
  readonly inviteStatus: 'pending' | 'accepted' | 'declined' | 'revoked'
}

const columns = (sql: Queryable) => sql`
  id, library_id, target_user_id, email, access_type, invite_status, created_at, updated_at, responded_at, revoked_at`

const grade = z.enum(['viewer', 'editor', 'admin'], 'expected viewer, editor or admin')

const Invitation = z
  .object({ targetUserId: singleLineText(1, 128).optional(), email: email.optional(), accessType: grade })
  .refine(({ targetUserId, email: address }) => (targetUserId === undefined) !== (address === undefined), {
    error: 'name the invitee by exactly one of targetUserId and email',
    path: ['targetUserId'],
  })
type Invitation = z.output<typeof Invitation>

const ShareChange = z
  .object({
    accessType: grade.optional(),
    inviteStatus: z.enum(['accepted', 'declined'], 'expected accepted or declined').optional(),
  })
  .refine((change) => change.accessType ?? change.inviteStatus, 'nothing to change')
type ShareChange = z.output<typeof ShareChange>

const requireOtherAccount = (actor: Actor, { targetUserId, email: address }: Invitation) => {
  if (targetUserId === actor.accountId) throw invalid([{ path: 'targetUserId', message: 'that is you' }])
  if (address !== undefined && address === actor.email)
    throw invalid([{ path: 'email', message: 'that is you' }])
}

const isInvitee = (actor: Actor, { targetUserId, email: address }: ShareRow) =>
  targetUserId === null
    ? actor.emailVerified && address !== null && address === actor.email
    : targetUserId === actor.accountId

/**
 * Locks a share and returns it with the actor's role: owner or invitee. Throws `forbidden` for other accounts with
 * access to the library, and `library_not_found` for all others.
 */
const lockShare = async (tx: Queryable, actor: Actor, libraryId: string | null, shareId: string | null) => {
  const library = await findLibrary(tx, actor, libraryId)
  const [share] = await tx<ShareRow[]>`
    select ${columns(tx)} from library_shares where id = ${shareId} and library_id = ${libraryId} for update`
  if (library?.grade === 'owner') {
    if (!share) throw new CoreError('library_share_not_found')
    return { share, role: 'owner' as const }
  }
  if (share && isInvitee(actor, share)) return { share, role: 'invitee' as const }
  throw new CoreError(library ? 'forbidden' : 'library_not_found')
}

const assignments = (sql: Queryable, actor: Actor, { accessType, inviteStatus }: ShareChange) =>
  accessType === undefined
    ? sql`invite_status = ${inviteStatus ?? null}, target_user_id = ${actor.accountId}, responded_at = now()`
    : sql`access_type = ${accessType}`

const changeShare = async (tx: Queryable, actor: Actor, share: ShareRow, change: ShareChange) => {
  if (share.inviteStatus !== 'pending' && share.inviteStatus !== 'accepted')
    throw new CoreError('library_share_not_active')
  if (share.inviteStatus === change.inviteStatus) return share
  return requireRow(
    await tx<ShareRow[]>`
      update library_shares set ${assignments(tx, actor, change)}, updated_at = now()
      where id = ${share.id} returning ${columns(tx)}`,
  )
}

/** If the account already has a share under its id, accepting one for its email address violates the unique index. */
const rethrowAsShareConflict = rethrowViolation('unique', 'library_share_conflict')

export const libraryShares: RegisterRoutes = (app, { sql, settings }) => {
  app.get('/v1/libraries/:libraryId/shares', async (request) => {
    const library = await requireLibrary(sql, requireActor(request), pathId(request, 'libraryId'), 'owner')
    const records = await sql`
      select ${columns(sql)} from library_shares where library_id = ${library.id}
      order by created_at desc, id desc`
    return { records }
  })

  app.post('/v1/libraries/:libraryId/shares', async (request, reply) => {
    const actor = requireActor(request)
    const library = await requireLibrary(sql, actor, pathId(request, 'libraryId'), 'owner')
    await requireEntitlement(sql, settings.BILLING_PLANS, actor, 'collaborators.invite')
    const invitation = readBody(request, Invitation)
    requireOtherAccount(actor, invitation)
    const row = await sql.begin(async (tx) => {
      await lockEntitlement(tx, actor, 'collaborators.invite')
      await requireEntitlement(tx, settings.BILLING_PLANS, actor, 'collaborators.invite')
      await lockLibrary(tx, library.id)
      const [share] = await tx<ShareRow[]>`
        insert into library_shares ${tx({
          id: uuidv7(),
          libraryId: library.id,
          targetUserId: invitation.targetUserId ?? null,
          email: invitation.email ?? null,
          accessType: invitation.accessType,
        })} on conflict do nothing returning ${columns(tx)}`
      if (!share) throw new CoreError('library_share_conflict')
      return share
    })
    return reply.code(201).send(row)
  })

  app.patch('/v1/libraries/:libraryId/shares/:shareId', async (request) => {
    const actor = requireActor(request)
    return sql
      .begin(async (tx) => {
        const [libraryId, shareId] = [pathId(request, 'libraryId'), pathId(request, 'shareId')]
        const { share, role } = await lockShare(tx, actor, libraryId, shareId)
        const change = readBody(request, ShareChange)
        if (role === 'owner' ? change.inviteStatus : change.accessType) throw new CoreError('forbidden')
        return changeShare(tx, actor, share, change)
      })
      .catch(rethrowAsShareConflict)
  })

  app.delete('/v1/libraries/:libraryId/shares/:shareId', async (request, reply) => {
    const library = await requireLibrary(sql, requireActor(request), pathId(request, 'libraryId'), 'owner')
    const revoked = await sql`
      update library_shares set access_type = 'revoked', invite_status = 'revoked',
        revoked_at = coalesce(revoked_at, now()),
        updated_at = case when revoked_at is null then now() else updated_at end
      where id = ${pathId(request, 'shareId')} and library_id = ${library.id}`
    if (revoked.count === 0) throw new CoreError('library_share_not_found')
    return reply.code(204).send()
  })
}
