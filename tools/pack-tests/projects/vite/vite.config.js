// The service allows no other origin, so the page's own server passes its requests on.
export default { preview: { proxy: { '/v1': process.env.SERVICE_URL } } };
