import type { OwnedPackLink } from '#db/queries/packs/pack-links.ts'

/** Returns a link as its owner sees it: with its page's path, and with `disableDownloads` inverted. */
export const presentPackLink = ({ disableDownloads, ...link }: OwnedPackLink) => ({
  ...link,
  downloadsEnabled: !disableDownloads,
  sharePath: `/share/packs/${link.slug}`,
})
