import { X509Certificate } from 'node:crypto'
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

/**
 * Replaces `DATABASE_CA` with the certificates in the file that it names. A path that is not readable, or whose file has
 * an invalid certificate or none, is left: the validation of the settings reports it with all other errors.
 */
export const readCaFile = async (environment: Variables): Promise<Variables> => {
  const path = environment.DATABASE_CA
  if (!path) return environment
  try {
    const DATABASE_CA = selectCertificates(await readFile(path, 'utf8'))
    return DATABASE_CA === '' ? environment : { ...environment, DATABASE_CA }
  } catch {
    return environment
  }
}
