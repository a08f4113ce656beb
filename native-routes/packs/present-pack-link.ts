import type { OwnedPackLink } from '#db/queries/packs/pack-links.ts'

export const presentPackLink = ({ disableDownloads, ...link }: OwnedPackLink) => ({
  ...link,
  downloadsEnabled: !disableDownloads,
  sharePath: `/share/packs/${link.slug}`,
})
