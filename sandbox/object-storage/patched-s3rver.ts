import { createReadStream } from 'node:fs'
import S3rver from '@20minutes/s3rver'
import v4 from '@20minutes/s3rver/lib/signature/v4.js'

const percentEncoded = (text: string) =>
  text.replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)

// A signature covers the query with every character outside RFC 3986's unreserved set percent-encoded; s3rver leaves
// these five and so refuses a signed Content-Disposition with an extended file name.
const { getStringToSign } = v4
v4.getStringToSign = (request, signature) =>
  getStringToSign({ ...request, querystring: percentEncoded(request.querystring) }, signature)

// s3rver takes `bytes=0-0` for the whole object.
const mendFirstByte = (store: S3rver['store']) => {
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

/** The S3 server of the sandbox over one folder, with what a player trips over put right. */
export const createPatchedS3rver = (options: ConstructorParameters<typeof S3rver>[0]): S3rver => {
  const s3rver = new S3rver(options)
  mendFirstByte(s3rver.store)
  return s3rver
}
