import { createReadStream } from 'node:fs'
import S3rver from '@20minutes/s3rver'
import v4 from '@20minutes/s3rver/lib/signature/v4.js'

const percentEncode = (text: string) =>
  text.replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)

// A signature covers the query, with all but RFC 3986's unreserved characters percent-encoded. s3rver does not encode
// these five, so it rejects a signed Content-Disposition with an extended file name.
const { getStringToSign } = v4
v4.getStringToSign = (request, signature) =>
  getStringToSign({ ...request, querystring: percentEncode(request.querystring) }, signature)

// s3rver returns the whole object for `bytes=0-0`.
const patchFirstByteRange = (store: S3rver['store']) => {
  const getObject = store.getObject.bind(store)
  store.getObject = async (bucket, key, options) => {
    const object = await getObject(bucket, key, options)
    if (!object?.content || options?.start !== 0 || options.end !== 0) return object
    object.content.destroy()
    object.content = createReadStream(store.getResourcePath(bucket, key, 'object'), { start: 0, end: 0 })
    object.range = { start: 0, end: 0 }
    return object
  }
}

/** Creates an S3 server over one folder, with fixes for requests that audio players send. */
export const createPatchedS3rver = (options: ConstructorParameters<typeof S3rver>[0]): S3rver => {
  const s3rver = new S3rver(options)
  patchFirstByteRange(s3rver.store)
  return s3rver
}
