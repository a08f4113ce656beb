import * as invitations from '#contracts/packs.invitations.ts'
import * as links from '#contracts/packs.links.ts'
import * as tracks from '#contracts/packs.tracks.ts'
import * as packs from '#contracts/packs.ts'
import { DeliveryStatus } from '#contracts/shared/delivery-status.ts'

export const packNames = {
  Pack: packs.detail.responses[200],
  PackList: packs.list.responses[200],
  NewPack: packs.create.body,
  PackUpdate: packs.update.body,
  PackTrack: tracks.add.responses[200],
  PackTrackList: tracks.reorder.responses[200],
  NewPackTrack: tracks.add.body,
  PackTrackOrder: tracks.reorder.body,
  PackLink: links.create.responses[201],
  PackLinkList: links.list.responses[200],
  NewPackLink: links.create.body,
  DeliveryStatus,
  PackInvitation: invitations.create.responses[201],
  PackInvitationList: invitations.list.responses[200],
  NewPackInvitation: invitations.create.body,
}
