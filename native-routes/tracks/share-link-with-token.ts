/** A link in the one answer that shows its token. */
export const withToken = <L extends object>(link: L, token: string) => ({
  ...link,
  token,
  sharePath: `/share/tracks/${token}`,
})
