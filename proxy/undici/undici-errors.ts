/** Whether undici rejects a request itself, for example because of a character in a header. */
export const isInvalidArgument = (error: Error) => 'code' in error && error.code === 'UND_ERR_INVALID_ARG'
