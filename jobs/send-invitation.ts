import {
  endUnsentInvitation,
  findUnsentInvitation,
  reopenUnsentInvitation,
  storeProviderEmailId,
} from '#db/queries/packs/pack-invitations.ts'
import type { JobDefinition, JobOf } from './job-definitions.ts'
import type { EmailOutcome, JobPorts } from './ports.ts'
import { RetryLaterError } from './retry-later-error.ts'

type Invitation = JobOf<'send-invitation'>

// Must be under 24 hours. After that, the provider forgets an email's id and would send a repeated email again.
const sendTimeoutMs = 23 * 3_600_000

const formatLink = ({ invitationId, link }: Invitation, appOrigin: string | null) => {
  if (appOrigin === null || link === undefined) return []
  if (link === null) return ['', `See your invitation: ${appOrigin}/share/invitations/${invitationId}`]
  return [
    '',
    `Listen to it: ${appOrigin}/share/packs/${link.slug}`,
    ...(link.requiresAccessCode ? ['The page asks for an access code, which its owner can tell you.'] : []),
  ]
}

const createMessage = (invitation: Invitation, appOrigin: string | null) => ({
  subject: `You are invited to ${invitation.packName}`,
  text: [
    `A pack of songs has been shared with you: ${invitation.packName}.`,
    ...formatLink(invitation, appOrigin),
  ].join('\n'),
})

const storeOutcome = (invitationId: string, outcome: EmailOutcome, { db }: Pick<JobPorts, 'db'>) =>
  db.tx((tx) => {
    switch (outcome.kind) {
      case 'accepted':
        return storeProviderEmailId(tx, invitationId, outcome.providerEmailId)
      case 'accepted-before':
        return endUnsentInvitation(tx, invitationId, 'sent')
      case 'rejected':
        return endUnsentInvitation(tx, invitationId, 'failed')
    }
  })

/**
 * The invitation's id identifies it to the provider, so a retry after a crash sends nothing twice and returns the same
 * provider id.
 */
export const sendInvitation = async (
  job: Invitation,
  { db, email, appOrigin, clock, log }: Pick<JobPorts, 'db' | 'email' | 'appOrigin' | 'clock' | 'log'>,
  signal: AbortSignal,
) => {
  const { invitationId } = job
  const invitation = await findUnsentInvitation(db.read, invitationId)
  if (!invitation) return
  if (!email)
    throw new RetryLaterError(
      'email_unavailable',
      'no e-mail provider is configured: set EMAIL_API_KEY and EMAIL_FROM',
    )
  if (clock.now().valueOf() - Date.parse(invitation.createdAt) > sendTimeoutMs) {
    log.warn({ invitationId }, 'invitation e-mail timed out')
    await db.tx((tx) => endUnsentInvitation(tx, invitationId, 'failed'))
    return
  }
  const message = { id: invitationId, to: invitation.email, ...createMessage(job, appOrigin) }
  const outcome = await email.send(message, signal)
  if (outcome.kind === 'rejected') {
    const { status, reason } = outcome
    log.warn({ invitationId, status, reason }, 'invitation e-mail rejected')
  }
  await storeOutcome(invitationId, outcome, { db })
}

export const sendInvitationJob: JobDefinition<JobOf<'send-invitation'>> = {
  queue: 'send-invitation',
  concurrency: 2,
  run: sendInvitation,
  markAsFailed: (tx, { invitationId }) => endUnsentInvitation(tx, invitationId, 'failed'),
  reopen: (tx, { invitationId }) => reopenUnsentInvitation(tx, invitationId),
}
