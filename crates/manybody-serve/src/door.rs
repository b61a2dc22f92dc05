//! Who is let in, and what every answer says to the browser.

use crate::notices::Trouble;
use crate::server::Shared;
use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONNECTION, CONTENT_SECURITY_POLICY, HOST, HeaderName, HeaderValue, ORIGIN, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use std::sync::Arc;

/// Refuses requests under other names than this server's, from pages of other sites, and without the token.
/// Each connection has one answer: who idles is no viewer.
pub(crate) async fn check(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let mut response = answer(&shared, request, next).await;
    if response.status() != StatusCode::SWITCHING_PROTOCOLS {
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

async fn answer(shared: &Shared, request: Request, next: Next) -> Response {
    let host = only(request.headers(), HOST).filter(|host| shared.address.answers_to(host)).map(str::to_owned);
    let Some(host) = host else { return refuse(shared, Trouble::Host, "This server is not of that name.") };
    if !is_own_origin(request.headers(), &host) {
        return refuse(shared, Trouble::Origin, "Pages of other sites may not connect.");
    }
    if !shared.token.is_in(request.uri().query()) {
        return refuse(shared, Trouble::Token, "The address must have the token that manybody has printed.");
    }
    let mut response = next.run(request).await;
    guard(response.headers_mut(), &host);
    response
}

/// The value of a header that must be there once.
fn only(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => value.to_str().ok(),
        _ => None,
    }
}

/// Browsers name the site of the page that connects; programs need not.
fn is_own_origin(headers: &HeaderMap, host: &str) -> bool {
    if !headers.contains_key(ORIGIN) {
        return true;
    }
    let origin = only(headers, ORIGIN).unwrap_or_default();
    let site = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    site.is_some_and(|site| site.eq_ignore_ascii_case(host))
}

fn refuse(shared: &Shared, trouble: Trouble, text: &'static str) -> Response {
    shared.notices.note(trouble);
    (StatusCode::FORBIDDEN, text).into_response()
}

/// The page runs its own script alone, connects to this server alone, is in no other page, and leaks no token.
fn guard(headers: &mut HeaderMap, host: &str) {
    let policy = format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self' \
         ws://{host} wss://{host}; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
    );
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        headers.insert(CONTENT_SECURITY_POLICY, policy);
    }
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
}
