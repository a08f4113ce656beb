import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { givenPaths, type Variables } from './read-environment.ts'

/**
 * Replaces `BILLING_PLANS` with the contents of the file that it names, unless it starts like JSON. A path that is not
 * readable is left: the validation of the settings reports it with all other errors. Its errors show the path only.
 */
export const readPlansFile = async <E extends Variables>(environment: E): Promise<E & Variables> => {
  const plans = environment.BILLING_PLANS
  if (!plans || /^\s*[[{]/.test(plans)) return environment
  try {
    const contents = await readFile(plans, 'utf8')
    return { ...environment, BILLING_PLANS: contents, [givenPaths]: { BILLING_PLANS: plans } }
  } catch {
    return environment
  }
}

const certificatePattern = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

// Comments between the certificates are dropped.
const selectCertificates = (text: string) => {
  const certificates = text.match(certificatePattern) ?? []
  for (const certificate of certificates) new X509Certificate(certificate)
  return certificates.join('\n')
}

// Throws if the key has a passphrase.
const selectKey = (text: string) => {
  createPrivateKey(text)
  return text.trim()
}

const pemFiles = {
  DATABASE_CA: selectCertificates,
  REDIS_CA: selectCertificates,
  CORE_CA: selectCertificates,
  CORE_CLIENT_CERT: selectCertificates,
  CORE_CLIENT_KEY: selectKey,
}

const readPemFile = async (path: string, select: (text: string) => string) => {
  try {
    return select(await readFile(path, 'utf8')) || path
  } catch {
    return path
  }
}

const matches = (certificate: string, key: string) => {
  try {
    return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))
  } catch {
    return false
  }
}

/**
 * Replaces each setting of TLS with the certificates, or the key, in the file that it names. A path that is not readable, or
 * whose file has an invalid certificate or none, or the key of another certificate, is left: the validation of the
 * settings reports it with all other errors.
 */
export const readCaFile = async (environment: Variables): Promise<Variables> => {
  const read: Record<string, string | undefined> = { ...environment }
  for (const [name, select] of Object.entries(pemFiles)) {
    const path = environment[name]
    if (path) read[name] = await readPemFile(path, select)
  }
  const { CORE_CLIENT_CERT: certificate, CORE_CLIENT_KEY: key } = read
  if (certificate && key && !matches(certificate, key)) read.CORE_CLIENT_KEY = environment.CORE_CLIENT_KEY
  return read
}
