import * as z from 'zod'
import { Citation } from '#contracts/shared/catalog-findings.ts'
import { Id, Timestamp } from '#contracts/shared/primitives.ts'
import {
  listInvitationsToOpenPacks,
  listLiveLibraryShares,
} from '#db/queries/catalog-analysis/catalog-shares.ts'
import type { ToolScope } from '../tools/define-tool.ts'
import { type OpenLink, subjectOfLink } from './find-share-findings.ts'
import { maxAnalysed } from './thresholds.ts'

/** Never contains a token, slug or access code. */
export const OpenShare = z.object({
  id: Id,
  kind: z.enum(['track_link', 'pack_link', 'split_sheet_link', 'library_share', 'pack_invitation']),
  title: z.string(),
  target: Citation,
  /** Null for a link, which anyone may have. */
  recipient: z.string().nullable(),
  access: z.string().nullable(),
  /** `active` for a link, the invitee's response for a library share, the delivery status for an invitation email. */
  status: z.string(),
  expiresAt: Timestamp.nullable(),
  createdAt: Timestamp,
  plays: z.int().nullable(),
  views: z.int().nullable(),
})
export type OpenShare = z.infer<typeof OpenShare>

const presentLink = (link: OpenLink): OpenShare => ({
  id: link.id,
  kind: link.kind,
  title: subjectOfLink(link).title,
  target: { type: link.kind === 'pack_link' ? 'pack' : 'track', id: link.targetId, title: link.targetTitle },
  recipient: null,
  access: null,
  status: 'active',
  expiresAt: link.expiresAt,
  createdAt: link.createdAt,
  plays: link.visits?.plays ?? null,
  views: link.visits?.views ?? null,
})

const notCounted = { expiresAt: null, plays: null, views: null }

const readLibraryShares = async ({ db, accountId }: ToolScope): Promise<OpenShare[]> => {
  const shares = await listLiveLibraryShares(db, accountId, maxAnalysed)
  return shares.map((share) => ({
    id: share.id,
    kind: 'library_share',
    title: `Share of the library ${share.targetTitle}`,
    target: { type: 'library', id: share.targetId, title: share.targetTitle },
    recipient: share.email ?? share.targetUserId,
    access: share.accessType,
    status: share.inviteStatus,
    createdAt: share.createdAt,
    ...notCounted,
  }))
}

const readInvitations = async ({ db, accountId, now }: ToolScope): Promise<OpenShare[]> => {
  const invitations = await listInvitationsToOpenPacks(db, accountId, now.toISOString(), maxAnalysed)
  return invitations.map((invitation) => ({
    id: invitation.id,
    kind: 'pack_invitation',
    title: `Invitation to the pack ${invitation.targetTitle}`,
    target: { type: 'pack', id: invitation.targetId, title: invitation.targetTitle },
    recipient: invitation.email,
    access: null,
    status: invitation.status,
    createdAt: invitation.createdAt,
    ...notCounted,
  }))
}

const compareNewest = (left: OpenShare, right: OpenShare) =>
  Date.parse(right.createdAt) - Date.parse(left.createdAt) || (left.id < right.id ? -1 : 1)

export const readOpenShares = async (
  scope: ToolScope,
  links: readonly OpenLink[],
): Promise<readonly OpenShare[]> => {
  const [libraryShares, invitations] = await Promise.all([readLibraryShares(scope), readInvitations(scope)])
  return [...links.map(presentLink), ...libraryShares, ...invitations].sort(compareNewest)
}

export const citedBy = (shares: readonly OpenShare[]): readonly { readonly subject: Citation }[] =>
  shares.flatMap(({ id, title, target }) => [
    { subject: { type: 'share' as const, id, title } },
    { subject: target },
  ])
