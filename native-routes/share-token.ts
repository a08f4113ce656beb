const encoder = new TextEncoder()

const base64url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

/** What is kept of a token: its SHA-256 in hexadecimal. 256 random bits need no salt and no slow hash. */
export const hashOfToken = async (token: string) => {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', encoder.encode(token)))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** A new token of 256 random bits, to be shown once, with what is kept of it. */
export const issueToken = async () => {
  const token = base64url(crypto.getRandomValues(new Uint8Array(32)))
  return { token, kept: { tokenHash: await hashOfToken(token), tokenPreview: token.slice(-4) } }
}
