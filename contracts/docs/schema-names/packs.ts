import * as invitations from '../../packs.invitations.ts'
import * as links from '../../packs.links.ts'
import * as tracks from '../../packs.tracks.ts'
import * as packs from '../../packs.ts'
import { DeliveryStatus } from '../../shared/delivery-status.ts'

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
