// A sketch, not part of the NIC: PFC (IEEE 802.1Q) obeyed for one class.
//
// It watches the 64-bit stream from the MAC for PFC frames, keeps the pause timer of one class, and
// holds the stream of the tx pipe at a frame's border while the timer runs. Byte 0 is in bits 7:0.
// A frame counts once it has ended without tuser.
//
// The gate has no register of its own: it stands before a skid that the tx pipe has at its end.
`default_nettype none
module pfc (
    input  wire        clock,
    input  wire        reset,
    // PFC_CONTROL: on, and the class of the NIC's traffic.
    input  wire        cfg_on,
    input  wire [2:0]  cfg_class,
    // PFC_QUANTUM: cycles in which the link carries 512 bits.
    input  wire [9:0]  cfg_quantum_cycles,
    // PFC_PAUSES: frames that have paused or released. PFC_PAUSED: cycles under pause.
    output reg  [31:0] pause_count,
    output reg  [31:0] paused_cycles,
    // From the MAC, watched.
    input  wire        rx_tvalid,
    input  wire [63:0] rx_tdata,
    input  wire        rx_tlast,
    input  wire        rx_tuser,
    // From the tx pipe to its last skid.
    input  wire        s_axis_tvalid,
    output wire        s_axis_tready,
    input  wire        s_axis_tlast,
    output wire        m_axis_tvalid,
    input  wire        m_axis_tready
);
    // Destination 01-80-C2-00-00-01; EtherType 0x8808 and opcode 0x0101, as beats have them.
    localparam [47:0] DESTINATION = 48'h0100_00c2_8001;
    localparam [31:0] KIND = 32'h0101_0888;

    // Beat 0: destination. 1: kind. 2: class vector, times of classes 0 to 2. 3: of classes 3 to 6.
    // 4: of class 7. The MAC gives a frame without gaps or with them.
    reg  [2:0]  beat;
    reg         is_pfc;
    reg         is_named;
    reg  [15:0] quanta;

    wire [2:0] time_beat = cfg_class == 3'd7 ? 3'd4 : cfg_class >= 3'd3 ? 3'd3 : 3'd2;
    wire [1:0] lane = cfg_class[1:0] + 2'd1;
    wire [15:0] big_endian = rx_tdata[16 * lane +: 16];
    // Octet 17 has the bits of the classes 0 to 7.
    wire [7:0] classes = rx_tdata[15:8];

    // The frame is told of in the cycle behind its end.
    reg         is_news;
    always @(posedge clock) begin
        is_news <= 1'b0;
        if (rx_tvalid) begin
            beat <= rx_tlast ? 3'd0 : beat == 3'd7 ? 3'd7 : beat + 3'd1;
            if (beat == 3'd0) is_pfc <= rx_tdata[47:0] == DESTINATION;
            if (beat == 3'd1) is_pfc <= is_pfc & rx_tdata[63:32] == KIND;
            if (beat == 3'd2) is_named <= classes[cfg_class];
            if (beat == time_beat) quanta <= {big_endian[7:0], big_endian[15:8]};
            // The shortest good frame has eight beats.
            is_news <= rx_tlast & beat == 3'd7 & is_pfc & is_named & ~rx_tuser & cfg_on;
        end
        if (reset) begin
            beat <= 3'd0;
            is_pfc <= 1'b0;
            is_news <= 1'b0;
        end
    end

    // The timer: quanta, and the cycles of the present one.
    reg  [15:0] left;
    reg  [9:0]  cycles;
    wire        is_paused = left != 16'd0;
    wire        is_over = cycles <= 10'd1;
    always @(posedge clock) begin
        if (is_news) begin
            left <= quanta;
            cycles <= cfg_quantum_cycles;
            pause_count <= pause_count + 32'd1;
        end else if (is_paused) begin
            left <= left - {15'd0, is_over};
            cycles <= is_over ? cfg_quantum_cycles : cycles - 10'd1;
        end
        if (is_paused) paused_cycles <= paused_cycles + 32'd1;
        if (reset) begin
            left <= 16'd0;
            pause_count <= 32'd0;
            paused_cycles <= 32'd0;
        end
    end

    // The gate closes where no frame is under way and none is offered.
    reg  is_closed;
    reg  is_inside;
    wire is_offered = s_axis_tvalid & ~is_closed;
    wire is_taken = is_offered & m_axis_tready;
    wire is_inside_next = is_taken ? ~s_axis_tlast : is_offered | is_inside;
    assign m_axis_tvalid = is_offered;
    assign s_axis_tready = m_axis_tready & ~is_closed;
    always @(posedge clock) begin
        is_inside <= is_inside_next;
        is_closed <= is_paused & ~is_inside_next;
        if (reset) begin
            is_inside <= 1'b0;
            is_closed <= 1'b0;
        end
    end
endmodule
`default_nettype wire
