import * as z from 'zod'
import { Citation } from '#contracts/shared/catalog-findings.ts'
import { Id, Timestamp } from '#contracts/shared/primitives.ts'
import { listInvitationsToOpenPacks, listLiveLibraryShares } from '#db/queries/catalog-shares.ts'
import { findShareFindings, subjectOfLink } from '../findings/find-share-findings.ts'
import { citationsOf, selectFindings } from '../findings/order-findings.ts'
import { type OpenLink, readOpenLinks } from '../findings/read-open-links.ts'
import { maxAnalysed } from '../findings/thresholds.ts'
import { defineTool, type ToolScope } from './define-tool.ts'
import { Limit, maxListed } from './limit.ts'

const OpenShare = z.object({
  id: Id,
  kind: z.enum(['track_link', 'pack_link', 'split_sheet_link', 'library_share', 'pack_invitation']),
  title: z.string(),
  target: Citation,
  /** The account id or the address of the recipient; null for a link, which anyone may have. */
  recipient: z.string().nullable(),
  /** Of a library share what it grants and whether it was accepted; of an invitation the delivery of its e-mail. */
  access: z.enum(['viewer', 'editor', 'admin', 'revoked']).nullable(),
  status: z.string(),
  expiresAt: Timestamp.nullable(),
  createdAt: Timestamp,
  plays: z.int().nullable(),
  views: z.int().nullable(),
})
type OpenShare = z.infer<typeof OpenShare>

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

const newestFirst = (left: OpenShare, right: OpenShare) =>
  Date.parse(right.createdAt) - Date.parse(left.createdAt) || (left.id < right.id ? -1 : 1)

const Target = z.enum(['track', 'pack', 'library'])

export const openShares = defineTool({
  name: 'open_shares',
  description:
    'Lists what is shared now, the newest first: links to tracks, packs and split sheets, shares of libraries, and invitations to packs with their recipients.',
  input: z.strictObject({ targets: z.array(Target).min(1).max(3).default(Target.options), limit: Limit }),
  output: z.object({ total: z.int(), shares: z.array(OpenShare).max(maxListed) }),
  async run(scope, { targets, limit }) {
    const [links, libraryShares, invitations] = await Promise.all([
      readOpenLinks(scope),
      readLibraryShares(scope),
      readInvitations(scope),
    ])
    const isWanted = ({ target }: OpenShare) => targets.some((type) => type === target.type)
    const shares = open.toSorted(newestFirst).slice(0, limit)
    const findings = selectFindings(
      findShareFindings(
        links.filter((link) => isWanted(presentLink(link))),
        scope.now,
      ),
    )
    return {
      output: { total: open.length, shares },
      findings,
      citations: citationsOf([
        ...shares.map(({ id, title }) => ({ subject: { type: 'share' as const, id, title } })),
        ...shares.map(({ target }) => ({ subject: target })),
        ...findings,
      ]),
    }
  },
})
