import { addPack, addPackLink, addTrackLink, addVisits } from './add-shares.ts'
import { addTrack } from './add-track.ts'
import { type RecordFault, times } from './add-track-faults.ts'
import type { CatalogRows } from './catalog-rows.ts'

const addExpiringLinks = (rows: CatalogRows, record: RecordFault) => {
  times(8, (index) => {
    const trackId = addTrack(rows)
    const linkId = addTrackLink(rows, trackId, { expiresDaysAgo: -1 - (index % 6), name: null })
    addVisits(rows, { trackId, linkId }, 1, 10)
    record('share_expiring', linkId)
  })
  // These links are so new that they cannot have plays yet.
  times(4, () =>
    record('share_expiring', addTrackLink(rows, addTrack(rows), { expiresDaysAgo: -7, createdDaysAgo: 1 })),
  )
  times(4, () => {
    const packId = addPack(rows, [addTrack(rows)])
    const linkId = addPackLink(rows, packId, { expiresDaysAgo: -3 })
    addVisits(rows, { packId, linkId }, 1, 10)
    record('share_expiring', linkId)
  })
  times(4, () =>
    record('share_expiring', addTrackLink(rows, addTrack(rows), { expiresDaysAgo: -2 }, 'split_sheet_links')),
  )
}

const addUnplayedLinks = (rows: CatalogRows, record: RecordFault) => {
  times(12, (index) => {
    const trackId = addTrack(rows)
    const linkId = addTrackLink(rows, trackId, { createdDaysAgo: 7 + index })
    // Views, and plays of other links, do not count as plays of this link.
    if (index < 4) addVisits(rows, { trackId, linkId, type: 'viewed' }, 2, 5)
    else if (index < 8) addVisits(rows, { trackId, linkId: 'another' }, 2, 5)
    record('share_without_plays', linkId)
  })
  times(8, () => {
    const packId = addPack(rows, [addTrack(rows)])
    record('share_without_plays', addPackLink(rows, packId, { createdDaysAgo: 8 }))
  })
}

const addTrends = (rows: CatalogRows, record: RecordFault) => {
  times(20, (index) => {
    const trackId = addTrack(rows)
    addVisits(rows, { trackId, linkId: 'a' }, 5, 50)
    addVisits(rows, { trackId, linkId: 'a' }, 30 + index, 1 + index)
    record('plays_rising', trackId)
  })
  times(20, (index) => {
    const trackId = addTrack(rows)
    addVisits(rows, { trackId, linkId: 'a' }, 30 + index, 29 + index)
    addVisits(rows, { trackId, linkId: 'a' }, 5, 5)
    record('plays_falling', trackId)
  })
}

export const addShareFaults = (rows: CatalogRows, record: RecordFault) => {
  addExpiringLinks(rows, record)
  addUnplayedLinks(rows, record)
  addTrends(rows, record)
}

const addQuietLinks = (rows: CatalogRows) => {
  const track = () => addTrack(rows)
  addTrackLink(rows, track(), { createdDaysAgo: 0 })
  addTrackLink(rows, track(), { createdDaysAgo: 6 })
  addTrackLink(rows, track(), { createdDaysAgo: 60, issuedDaysAgo: 1 })
  addTrackLink(rows, track(), { createdDaysAgo: 1, expiresDaysAgo: -8 })
  addTrackLink(rows, track(), { revokedDaysAgo: 10 })
  addTrackLink(rows, track(), { revokedDaysAgo: 10, expiresDaysAgo: -2 })
  addTrackLink(rows, track(), { expiresDaysAgo: 1 })
  addTrackLink(rows, track(), {}, 'split_sheet_links')
  const played = track()
  addVisits(rows, { trackId: played, linkId: addTrackLink(rows, played) }, 1, 300)
  // Without playable audio, the link cannot have plays.
  addTrackLink(rows, addTrack(rows, { audio: 'processing' }))
  addPackLink(rows, addPack(rows, []))
  addPackLink(rows, addPack(rows, [addTrack(rows, { audio: 'processing' })]))
  const packId = addPack(rows, [track()])
  addVisits(rows, { packId, linkId: addPackLink(rows, packId) }, 1, 100)
}

const addSteadyPlays = (rows: CatalogRows) => {
  const play = (recent: number, previous: number, createdDaysAgo = 200) => {
    const trackId = addTrack(rows, { createdDaysAgo })
    addVisits(rows, { trackId, linkId: 'a' }, recent, 14)
    addVisits(rows, { trackId, linkId: 'a' }, previous, 42)
    return trackId
  }
  play(19, 1)
  play(1, 19)
  play(30, 25)
  play(25, 30)
  play(22, 12)
  play(60, 45)
  play(300, 210)
  play(210, 300)
  // The track did not yet exist during part of the earlier period.
  play(50, 0, 40)
  // Neither counts: visits today, because the day is not over yet, and visits before both periods.
  addVisits(rows, { trackId: play(10, 10), linkId: 'a' }, 60, 0)
  addVisits(rows, { trackId: play(10, 10), linkId: 'a' }, 60, 57)
}

export const addHarmlessShares = (rows: CatalogRows) => {
  addQuietLinks(rows)
  addSteadyPlays(rows)
}
