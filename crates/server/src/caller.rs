//! Who makes a call.

use m1nd_tools::ANONYMOUS;
use rmcp::model::ProgressToken;
use rmcp::service::RequestContext;
use rmcp::{Peer, RoleServer};
use tokio_util::sync::CancellationToken;

/// The caller of a tool, or the reader of a resource.
pub(crate) struct Caller {
    /// Cancelled when the answer is no longer needed.
    pub(crate) cancel: CancellationToken,
    /// Name of the client, for calls that name no agent.
    pub(crate) name: String,
    /// Who is sent reports of progress.
    pub(crate) meter: Option<Meter>,
}

/// The receiver of reports of progress.
pub(crate) struct Meter {
    pub(crate) peer: Peer<RoleServer>,
    pub(crate) token: ProgressToken,
}

impl Caller {
    /// The caller of a request of the protocol.
    pub(crate) fn of(request: &RequestContext<RoleServer>) -> Self {
        let token = request.meta.get_progress_token();
        Self {
            cancel: request.ct.clone(),
            name: request.client_info().map_or_else(|| ANONYMOUS.to_owned(), |client| client.name),
            meter: token.map(|token| Meter { peer: request.peer.clone(), token }),
        }
    }

    /// A caller without the protocol.
    pub(crate) fn with_name(name: &str) -> Self {
        Self { cancel: CancellationToken::new(), name: name.to_owned(), meter: None }
    }
}
