import type { OwnedPackLink } from '#db/queries/packs/pack-links.ts'

/** A link as its owner sees it: with the path of its page, and whether downloads are enabled instead of disabled. */
export const presentPackLink = ({ disableDownloads, ...link }: OwnedPackLink) => ({
  ...link,
  downloadsEnabled: !disableDownloads,
  sharePath: `/share/packs/${link.slug}`,
})
