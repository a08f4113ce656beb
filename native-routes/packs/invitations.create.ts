import { create } from '#contracts/packs.invitations.ts'
import { insertJob } from '#db/queries/jobs/jobs.ts'
import { insertPackInvitation } from '#db/queries/packs/pack-invitations.ts'
import { findLinkForInvitation } from '#db/queries/packs/pack-links.ts'
import { defineRoute, NotPortedError } from '../define-route.ts'

export const inviteToPack = defineRoute(create, async ({ pack, body }, { db, email }) => {
  if (!email.isConfigured) throw new NotPortedError('no e-mail provider is configured')
  return db.tx(async (tx) => {
    const invitation = await insertPackInvitation(tx, { packId: pack.id, ...body })
    const link = await findLinkForInvitation(tx, pack.id)
    await insertJob(tx, { queue: 'send-invitation', invitationId: invitation.id, packName: pack.name, link })
    return invitation
  })
})
